// team_bench.mjs URL COUNT AT_ONCE ROUNDS: the team of team_bench.cpp in LangGraph.js, for that program. Three agents, of whom the first
// hands over with a tool; a checkpointer in memory. Answers are not streamed, which is less work: for streams the client
// fetches tables of tokens from a server. Each round is a line: CPU µs a run.
import { HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { Command, END, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';

const [url, count, atOnce, rounds] = process.argv.slice(2).map((word, i) => (i ? Number(word) : word));
const handoff = tool(() => '', {
  name: 'handoff', description: 'Hands the task over to another agent of the team, who hears what was said so far.',
  schema: z.object({ to: z.enum(['reader', 'writer']), reason: z.string() }),
});
const model = (name) => new ChatOpenAI({ model: name, apiKey: 'key', maxRetries: 2, configuration: { baseURL: `${url}/v1` } });
const ask = (chat, state) => chat.invoke([new SystemMessage('You work.'), ...state.messages]);
const planning = model('planner').bindTools([handoff]);
const planner = async (state) => {
  const answer = await ask(planning, state);
  const [call] = answer.tool_calls;
  if (!call) return new Command({ goto: END, update: { messages: [answer] } });
  return new Command({ goto: call.args.to, update: { messages: [answer, new ToolMessage({ content: 'done', tool_call_id: call.id })] } });
};
const worker = (name) => {
  const chat = model(name);
  return async (state) => ({ messages: [await ask(chat, state)] });
};
const team = new StateGraph(MessagesAnnotation)
  .addNode('planner', planner, { ends: ['reader', 'writer', END] }).addNode('reader', worker('reader')).addNode('writer', worker('writer'))
  .addEdge(START, 'planner').addEdge('reader', 'writer').addEdge('writer', END);

let thread = 0;
async function all(total) {
  const graph = team.compile({ checkpointer: new MemorySaver() });  // one for each round: it keeps everything
  const several = async () => {
    for (let i = 0; i < total / atOnce; ++i) {
      const end = await graph.invoke({ messages: [new HumanMessage('Write.')] }, { configurable: { thread_id: String(++thread) } });
      if (end.messages.at(-1).content !== 'Tea is a plant from China.' || end.messages.length !== 5) throw new Error('that was not the answer');
    }
  };
  await Promise.all(Array.from({ length: atOnce }, several));
}

await all(Math.max(count, 600));  // the compiler of Node has done its work then
for (let round = 0; round < rounds; ++round) {
  const before = process.cpuUsage();
  await all(count);
  const used = process.cpuUsage(before);
  console.log((used.user + used.system) / count);
}
process.exit(0);
