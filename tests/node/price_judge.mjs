// What strangers say that models cost. In: a JSON list of {provider, model, tokens} as a word; out: a list of US dollars for a
// million tokens of each kind, the dearest of the day's hours, or null for a model that they do not know.
import { calcPrice } from "@pydantic/genai-prices";

const theirs = { gemini: "google", xai: "x-ai" };

function price(usage, asked, hour) {
    const options = { providerId: theirs[asked.provider] ?? asked.provider, timestamp: new Date(Date.UTC(2026, 10, 18, hour)) };
    return calcPrice(usage, asked.model, options);
}

/// The tokens of one kind alone, as dear as they get: some vendors are cheaper at night.
function dearest(usage, asked, field) {
    let most = null;
    for (let hour = 0; hour < 24; ++hour) {
        const found = price(usage, asked, hour);
        if (found) most = Math.max(most ?? 0, (found[field] * 1e6) / asked.tokens);
    }
    return most;
}

function judged(asked) {
    const n = asked.tokens;
    if (!price({ input_tokens: n, output_tokens: 1 }, asked, 12)) return null;
    return {
        input_price: dearest({ input_tokens: n }, asked, "input_price"),
        cached_price: dearest({ input_tokens: n, cache_read_tokens: n }, asked, "input_price"),
        cache_write_price: dearest({ input_tokens: n, cache_write_tokens: n }, asked, "input_price"),
        // of an answer to a prompt of that length: long prompts make answers dearer too
        output_price: dearest({ input_tokens: n, output_tokens: n }, asked, "output_price"),
    };
}

console.log(JSON.stringify(JSON.parse(process.argv[2]).map(judged)));
