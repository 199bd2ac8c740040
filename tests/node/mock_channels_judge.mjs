// Twilio's own client against mock-channels, and its own judge of the webhooks that come from there. Prints what it saw as JSON;
// mock_channels_test.py says what is right.
//     node mock_channels_judge.mjs URL PORT SID TOKEN PUBLIC_URL
import http from 'node:http';
import twilio from 'twilio';

const [url, port, sid, token, publicUrl] = process.argv.slice(2);
const seen = { hooks: [] };

const hooks = http.createServer(async (request, response) => {
  let body = '';
  for await (const piece of request) body += piece;
  const fields = Object.fromEntries(new URLSearchParams(body));
  const good = twilio.validateRequest(token, request.headers['x-twilio-signature'], publicUrl + request.url, fields);
  seen.hooks.push({ path: request.url, good, status: fields.MessageStatus ?? null, text: fields.Body ?? null, sid: fields.MessageSid });
  response.writeHead(200, { 'Content-Type': 'text/xml' }).end('<Response/>');
});
await new Promise((resolve) => hooks.listen(Number(port), '127.0.0.1', resolve));

const httpClient = {
  async request({ method, uri, username, password, headers, params, data }) {
    const where = new URL(uri.replace('https://api.twilio.com', url));
    for (const [name, value] of Object.entries(params ?? {})) where.searchParams.set(name, value);
    const answer = await fetch(where, {
      method: method.toUpperCase(),
      headers: { ...headers, Authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
      body: data ? new URLSearchParams(data) : undefined });
    return { statusCode: answer.status, body: await answer.text(), headers: Object.fromEntries(answer.headers) };
  },
};

async function failure(work) {
  try {
    await work();
    return null;
  } catch (error) {
    return { status: error.status, code: error.code, message: error.message };
  }
}

const client = twilio(sid, token, { httpClient });
const message = { to: '+14155550100', from: '+14155550199', body: 'Hällo & "wörld" ' };
const statusCallback = `${publicUrl}/channels/sms/status?k=${'a'.repeat(32)}`;
const sent = await client.messages.create({ ...message, statusCallback });
seen.sent = { sid: sent.sid, status: sent.status, body: sent.body, to: sent.to, from: sent.from, direction: sent.direction,
  age: Date.now() - sent.dateCreated.getTime() };
seen.listed = (await client.messages.list({ to: message.to })).map((one) => one.sid);
seen.others = (await client.messages.list({ to: '+14155550111' })).length;
seen.refused = await failure(() => client.messages.create({ ...message, to: '' }));
seen.stranger = await failure(() => twilio(sid, 'another', { httpClient }).messages.create(message));
await fetch(`${url}/mock/faults`, { method: 'POST', body: '{"faults":["later","error"]}' });
seen.later = await failure(() => client.messages.create(message));
seen.error = await failure(() => client.messages.create(message));
const said = await fetch(`${url}/mock/say`, { method: 'POST',
  body: JSON.stringify({ account: 'sms', from: '+14155550100', text: 'Check my "timesheet" & café  ', copies: 2 }) });
seen.said = await said.json();
while (seen.hooks.length < 4) await new Promise((resolve) => setImmediate(resolve));
hooks.close();
hooks.closeAllConnections();
console.log(JSON.stringify(seen));
