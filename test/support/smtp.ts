/** A real SMTP server on a loopback port that keeps what it accepts and refuses what it is told to. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

export interface Received {
  readonly from: string
  readonly to: readonly string[]
  /** Headers and body as they came. */
  readonly raw: string
}

export interface Smtp {
  readonly url: string
  readonly received: readonly Received[]
  /** Attempts to deliver, refused ones too. */
  readonly attempts: () => number
  /** Answers the next `count` mails with this code instead of taking them. */
  refuse(count: number, code: number): void
  /** Waits so long before it accepts a mail. */
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
