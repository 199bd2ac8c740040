// The vendors' own clients against mock-llm. Each judge prints what it saw as JSON; mock_llm_test.py says what is right.
//     node mock_llm_judges.mjs JUDGE URL
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai';

const [judge, url] = process.argv.slice(2);
const user = (content) => ({ role: 'user', content });
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false };
const seen = {};

async function failure(work) {
  try {
    await work();
    return null;
  } catch (error) {
    return { name: error.constructor.name, status: error.status ?? error.statusCode ?? null, message: error.message,
      type: error.type ?? null, code: error.code ?? null, requestID: error.requestID ?? null };
  }
}

const judges = {
  async openai() {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'sk-judge-key-0000', maxRetries: 2 });
    const tools = [{ type: 'function', function: { name: 'weather', description: 'Weather', parameters: schema } }];
    const ask = (content, more = {}) => client.chat.completions.create({ model: 'gpt-mock', messages: [user(content)], ...more });

    seen.models = (await client.models.list()).data.map((model) => model.id);
    const text = await ask('say hello');
    seen.text = { content: text.choices[0].message.content, finish: text.choices[0].finish_reason, usage: text.usage,
      object: text.object, model: text.model };

    const stream = await ask('say hello', { stream: true, stream_options: { include_usage: true } });
    seen.stream = { pieces: [], ids: new Set(), roles: [], finish: [], usage: null, objects: new Set() };
    for await (const chunk of stream) {
      seen.stream.ids.add(chunk.id);
      seen.stream.objects.add(chunk.object);
      if (chunk.choices.length === 0) seen.stream.usage = chunk.usage;
      for (const choice of chunk.choices) {
        if (choice.delta.role) seen.stream.roles.push(choice.delta.role);
        if (choice.delta.content) seen.stream.pieces.push(choice.delta.content);
        seen.stream.finish.push(choice.finish_reason);
      }
    }
    seen.stream.ids = seen.stream.ids.size;
    seen.stream.objects = [...seen.stream.objects];
    const plain = [];
    for await (const chunk of await ask('say hello', { stream: true })) plain.push(chunk.usage ?? null);
    seen.streamWithoutUsage = plain.every((usage) => usage === null);

    const calls = await ask('weather in two cities', { tools });
    seen.calls = calls.choices[0].message.tool_calls.map((call) => [call.function.name, JSON.parse(call.function.arguments)]);
    seen.callsFinish = calls.choices[0].finish_reason;
    const results = calls.choices[0].message.tool_calls.map((call, i) => ({ role: 'tool', tool_call_id: call.id, content: `result ${i}` }));
    const after = await client.chat.completions.create({ model: 'gpt-mock', tools,
      messages: [user('weather in two cities'), calls.choices[0].message, ...results] });
    seen.after = after.choices[0].message.content;
    const half = await failure(() => client.chat.completions.create({ model: 'gpt-mock', tools,
      messages: [user('weather in two cities'), calls.choices[0].message, results[0]] }));
    seen.unanswered = half;
    // the client's own accumulator puts the fragments together
    const runner = client.chat.completions.stream({ model: 'gpt-mock', messages: [user('weather in two cities')], tools });
    const whole = await runner.finalChatCompletion();
    seen.streamedCalls = whole.choices[0].message.tool_calls.map((call) => [call.function.name, JSON.parse(call.function.arguments)]);

    const parsed = await client.chat.completions.parse({ model: 'gpt-mock', messages: [user('as JSON')],
      response_format: { type: 'json_schema', json_schema: { name: 'place', schema, strict: true } } });
    seen.parsed = JSON.parse(parsed.choices[0].message.content);
    seen.reasoning = (await ask('think')).choices[0].message.reasoning_content;
    seen.cached = (await ask('think')).usage;

    seen.unmatched = await failure(() => ask('nobody expects this'));
    seen.unauthorized = await failure(() => ask('no key'));
    seen.notFound = await failure(() => ask('no model'));
    let started = Date.now();
    seen.retried = (await ask('too many')).choices[0].message.content;
    seen.retriedAfter = Date.now() - started;
    seen.serverError = (await ask('broken server')).choices[0].message.content;
    seen.noMessages = await failure(() => client.chat.completions.create({ model: 'gpt-mock', messages: [] }));
    const read = async (content) => {
      let got = '';
      const problem = await failure(async () => {
        for await (const chunk of await ask(content, { stream: true })) got += chunk.choices[0]?.delta?.content ?? '';
      });
      return { got, problem };
    };
    seen.cut = await read('cut');
    seen.errorInStream = await read('error in stream');
    seen.malformed = await read('malformed');
    const late = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'x', maxRetries: 0, timeout: 300 });
    seen.stalled = await failure(() => late.chat.completions.create({ model: 'gpt-mock', messages: [user('stall')] }));
    const controller = new AbortController();
    const abandoned = await client.chat.completions.create({ model: 'gpt-mock', messages: [user('slow')], stream: true },
      { signal: controller.signal });
    for await (const chunk of abandoned) if (chunk.choices[0].delta.content) controller.abort();
  },

  async anthropic() {
    const client = new Anthropic({ baseURL: url, apiKey: 'sk-ant-judge-key-0000', maxRetries: 2 });
    const tools = [{ name: 'weather', description: 'Weather', input_schema: schema }];
    const base = { model: 'claude-mock', max_tokens: 1000 };
    const ask = (content, more = {}) => client.messages.create({ ...base, messages: [user(content)], ...more });

    seen.models = (await client.models.list()).data.map((model) => model.id);
    const text = await ask('say hello', { system: [{ type: 'text', text: 'Be kind.' }] });
    seen.text = { content: text.content, stop: text.stop_reason, usage: text.usage, type: text.type, role: text.role };
    seen.tokens = (await client.messages.countTokens({ model: 'claude-mock', messages: [user('12345678')] })).input_tokens;

    const stream = client.messages.stream({ ...base, messages: [user('say hello')] });
    seen.stream = { pieces: [], events: [] };
    stream.on('text', (piece) => seen.stream.pieces.push(piece));
    stream.on('streamEvent', (event) => seen.stream.events.push(event.type));
    const streamed = await stream.finalMessage();
    seen.stream.final = { content: streamed.content, stop: streamed.stop_reason, usage: streamed.usage };

    const calls = await ask('weather in two cities', { tools });
    const uses = calls.content.filter((block) => block.type === 'tool_use');
    seen.calls = uses.map((block) => [block.name, block.input]);
    seen.callsStop = calls.stop_reason;
    const results = uses.map((block, i) => ({ type: 'tool_result', tool_use_id: block.id, content: `result ${i}` }));
    const talk = (last) => client.messages.create({ ...base, tools,
      messages: [user('weather in two cities'), { role: 'assistant', content: calls.content }, user(last)] });
    seen.after = (await talk(results)).content[0].text;
    seen.unanswered = await failure(() => talk([results[0]]));
    const runner = client.messages.stream({ ...base, tools, messages: [user('weather in two cities')] });
    seen.streamedCalls = (await runner.finalMessage()).content.filter((block) => block.type === 'tool_use')
      .map((block) => [block.name, block.input]);

    const thought = await ask('think', { thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 2000 });
    seen.thinking = thought.content.map((block) => block.type);
    seen.thought = thought.content[0].thinking;
    seen.cached = thought.usage;
    const thinking = client.messages.stream({ ...base, messages: [user('think')] });
    const thoughtStream = await thinking.finalMessage();
    seen.sameThought = JSON.stringify(thoughtStream.content) === JSON.stringify(thought.content);
    const goOn = (content) => client.messages.create({ ...base,
      messages: [user('think'), { role: 'assistant', content }, user('and now')] });
    seen.thoughtBack = (await goOn(thought.content)).content[0].text;
    seen.thoughtChanged = await failure(() => goOn([{ ...thought.content[0], thinking: 'I never thought so' }, thought.content[1]]));

    seen.unmatched = await failure(() => ask('nobody expects this'));
    seen.unauthorized = await failure(() => ask('no key'));
    const started = Date.now();
    seen.retried = (await ask('too many')).content[0].text;
    seen.retriedAfter = Date.now() - started;
    seen.serverError = (await ask('broken server')).content[0].text;
    seen.noTokens = await failure(() => client.messages.create({ model: 'claude-mock', messages: [user('say hello')] }));
    const read = async (content) => {
      let got = '';
      const problem = await failure(async () => {
        for await (const event of await ask(content, { stream: true }))
          if (event.type === 'content_block_delta') got += event.delta.text;
      });
      return { got, problem };
    };
    seen.cut = await read('cut');
    seen.errorInStream = await read('error in stream');
    seen.malformed = await read('malformed');
  },

  async ai() {
    const models = {
      openai: createOpenAI({ baseURL: `${url}/v1`, apiKey: 'x' }).chat('gpt-mock'),
      compatible: createOpenAICompatible({ name: 'mock', baseURL: `${url}/v1`, apiKey: 'x', includeUsage: true,
        supportsStructuredOutputs: true })('gpt-mock'),
      anthropic: createAnthropic({ baseURL: `${url}/v1`, apiKey: 'x' })('claude-mock'),
    };
    const weather = tool({ description: 'Weather', inputSchema: jsonSchema(schema), execute: async ({ city }) => `${city}: sun` });
    for (const [name, model] of Object.entries(models)) {
      const saw = (seen[name] = {});
      const text = await generateText({ model, prompt: 'say hello' });
      saw.text = [text.text, text.finishReason, text.usage.inputTokens, text.usage.outputTokens];
      const stream = streamText({ model, prompt: 'say hello' });
      const pieces = [];
      for await (const piece of stream.textStream) pieces.push(piece);
      const usage = await stream.usage;
      saw.stream = [pieces, await stream.finishReason, usage.outputTokens];
      const loop = await generateText({ model, prompt: 'weather in two cities', tools: { weather }, stopWhen: stepCountIs(3) });
      saw.loop = [loop.text, loop.steps.length, loop.steps[0].toolResults.map((result) => result.output)];
      const streamedLoop = streamText({ model, prompt: 'weather in two cities', tools: { weather }, stopWhen: stepCountIs(3) });
      saw.streamedLoop = [await streamedLoop.text, (await streamedLoop.steps).length];
      const place = await generateText({ model, prompt: 'as JSON', output: Output.object({ schema: jsonSchema(schema) }) });
      saw.object = place.output;
      const started = Date.now();
      saw.retried = (await generateText({ model, prompt: 'too many' })).text;
      saw.retriedAfter = Date.now() - started;
      const unmatched = await failure(() => generateText({ model, prompt: 'nobody expects this' }));
      saw.unmatched = [unmatched.status, unmatched.message];
      if (name !== 'openai') {
        const thought = await generateText({ model, prompt: 'think' });
        saw.reasoning = [thought.reasoningText, thought.text];
      }
      let problem = null;
      let got = '';
      const cut = streamText({ model, prompt: 'cut', maxRetries: 0, onError: ({ error }) => { problem = error.message ?? String(error); } });
      try {
        for await (const piece of cut.textStream) got += piece;
      } catch (error) {
        problem = error.message;
      }
      saw.cut = [got, problem !== null];
    }
  },
};

try {
  await judges[judge]();
} catch (error) {
  seen.threw = error.stack;
}
process.stdout.write(JSON.stringify(seen));
process.exit(0);
