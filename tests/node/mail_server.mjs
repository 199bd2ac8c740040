// A mail server on loopback that npm's smtp-server makes: writes where it listens, then each mail that it takes as a line of JSON, as
// mailparser reads it. Mail for cut@… is taken, and the connection cut before it says so; that for nobody@… is refused.
import { SMTPServer } from 'smtp-server';
import { simpleParser } from 'mailparser';

const line = (value) => process.stdout.write(JSON.stringify(value) + '\n');
const ids = (value) => [value ?? []].flat();
const server = new SMTPServer({
  logger: false, authOptional: true, hideSTARTTLS: true, disableReverseLookup: true,
  onRcptTo: (address, session, done) =>
    done(address.address.startsWith('nobody@') ? Object.assign(new Error('no such user'), { responseCode: 550 }) : null),
  async onData(stream, session, done) {
    const to = session.envelope.rcptTo[0].address;
    const mail = await simpleParser(stream);
    line({
      to, from: session.envelope.mailFrom.address, subject: mail.subject, text: mail.text, html: mail.html, id: mail.messageId,
      in_reply_to: mail.inReplyTo ?? null, references: ids(mail.references), auto_submitted: mail.headers.get('auto-submitted'),
    });
    if (to.startsWith('cut@')) for (const one of server.connections) one.close();
    else done();
  },
});
server.on('error', () => {});
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => line(server.server.address().port));
