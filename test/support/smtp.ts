/** A real SMTP server on a loopback port. It stores the mails that it accepts, and refuses mails when a test says so. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

export interface Received {
  readonly from: string
  readonly to: readonly string[]
  /** Headers and body as received. */
  readonly raw: string
}

export interface Smtp {
  readonly url: string
  readonly received: readonly Received[]
  /** Number of attempts to deliver a mail, including refused ones. */
  readonly attempts: () => number
  /** Refuses the next `count` mails with this code. */
  refuse(count: number, code: number): void
  /** Waits this long before it accepts each mail. */
  delay(ms: number): void
  stop(): Promise<void>
}

export const startSmtp = async (port = 0): Promise<Smtp> => {
  const received: Received[] = []
  const state = { refusals: 0, code: 451, attempts: 0, delayMs: 0 }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    onData: (stream, session, done) => {
      const { mailFrom, rcptTo } = session.envelope
      void text(stream).then(async (raw) => {
        state.attempts += 1
        if (state.refusals > 0) {
          state.refusals -= 1
          return done(Object.assign(new Error('not now'), { responseCode: state.code }))
        }
        await new Promise((wake) => setTimeout(wake, state.delayMs).unref())
        received.push({ from: mailFrom === false ? '' : mailFrom.address, to: rcptTo.map(({ address }) => address), raw })
        done()
      })
    },
  })
  server.on('error', () => undefined)
  const listening = server.listen(port, '127.0.0.1')
  await once(listening, 'listening')
  return {
    url: `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`,
    received,
    attempts: () => state.attempts,
    refuse: (count, code) => Object.assign(state, { refusals: count, code }),
    delay: (ms) => Object.assign(state, { delayMs: ms }),
    stop: () => new Promise((resolve) => void server.close(() => resolve())),
  }
}

/** The answers of a scripted server to each command, in one or more complete lines. `close` closes the connection without an answer. */
export interface Script {
  readonly greeting?: string
  readonly ehlo?: string
  readonly auth?: string
  readonly mail?: string
  readonly rcpt?: string
  readonly data?: string
  /** The answer to the content of the mail. */
  readonly end?: string
}

export interface ScriptedSmtp {
  readonly url: string
  /** The answers. A change takes effect at the next command. */
  script: Script
  /** All commands so far, from all connections. */
  readonly commands: readonly string[]
  stop(): Promise<void>
}

/** A mail server that sends exactly the answers of a script, even if they violate the protocol. */
export const startScriptedSmtp = async (script: Script = {}): Promise<ScriptedSmtp> => {
  const commands: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined)
    const say = (text: string) => (text === 'close' ? socket.destroy() : socket.write(`${text}\r\n`))
    let isMail = false
    let read = ''
    say(smtp.script.greeting ?? '220 mail.example ESMTP')
    socket.on('data', (bytes) => {
      read += bytes.toString('latin1')
      for (let end = read.indexOf('\r\n'); end !== -1; end = read.indexOf('\r\n')) {
        const line = read.slice(0, end)
        read = read.slice(end + 2)
        if (isMail && line !== '.') continue
        const { ehlo, auth, mail, rcpt, data, end: done } = smtp.script
        if (isMail) {
          isMail = false
          say(done ?? '250 2.0.0 Ok: queued as 4711')
          continue
        }
        commands.push(line)
        const verb = line.split(/[ :]/, 1)[0]?.toUpperCase()
        if (verb === 'EHLO' || verb === 'HELO') say(ehlo ?? '250-mail.example\r\n250 ENHANCEDSTATUSCODES')
        else if (verb === 'AUTH') say(auth ?? '235 2.7.0 Ok')
        else if (verb === 'MAIL') say(mail ?? '250 2.1.0 Ok')
        else if (verb === 'RCPT') say(rcpt ?? '250 2.1.5 Ok')
        else if (verb === 'DATA') {
          say(data ?? '354 End data with <CR><LF>.<CR><LF>')
          isMail = data === undefined
        } else say(verb === 'QUIT' ? '221 2.0.0 Bye' : '250 2.0.0 Ok')
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const smtp: ScriptedSmtp = {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    script,
    commands,
    stop: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => void server.close(() => resolve()))
    },
  }
  return smtp
}
