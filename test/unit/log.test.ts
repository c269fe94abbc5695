import { expect, test } from 'vitest'
import { createLog, logPlainly } from '../../src/core/log.ts'
import { formatLogLine } from '../../src/core/output/log-line.ts'

const logged = (
  text: { readonly isColoured: boolean } | undefined,
  work: (log: ReturnType<typeof createLog>) => void,
): string => {
  let written = ''
  const destination = {
    write: (line: string) => {
      written += line
    },
  }
  work(createLog('info', { destination, text }))
  return written
}

test('a readable log line has time, level, message and fields, and is redacted like the JSON log', () => {
  const text = logged({ isColoured: false }, (log) =>
    log.info({ url: 'http://localhost:3000', token: 'geheim', note: 'two words', n: 2 }, 'it is ready'),
  )
  expect(text).toMatch(
    /^\d\d:\d\d:\d\d INFO {2}it is ready {2}url=http:\/\/localhost:3000 token=\[redacted\] note="two words" n=2\n$/,
  )
  const json = logged(undefined, (log) => log.info({ token: 'geheim' }, 'it is ready'))
  expect(JSON.parse(json)).toMatchObject({ level: 'info', msg: 'it is ready', token: '[redacted]' })
})

test('an error is logged with its stack below the line', () => {
  const text = logged({ isColoured: false }, (log) => log.error({ err: new Error('it broke') }, 'request failed'))
  expect(text).toMatch(/^\S+ ERROR request failed\n {4}Error: it broke\n {4}at .*log\.test\.ts/)
})

test('the readable log uses colours for time, level and fields, and only on request', () => {
  expect(logged({ isColoured: true }, (log) => log.warn({ a: 1 }, 'careful'))).toContain('\u001b[33mWARN \u001b[0m careful')
  expect(logged({ isColoured: false }, (log) => log.warn({ a: 1 }, 'careful'))).not.toContain('\u001b')
})

test('text sent by a client cannot control the terminal through the log', () => {
  const text = logged({ isColoured: false }, (log) =>
    log.info({ agent: 'x\u001b[2J', 'a\u001bb': 1 }, 'seen \u001b[31m\nfaked 12:00:00 INFO'),
  )
  expect(text).not.toContain('\u001b')
  expect(text.trimEnd().split('\n')).toHaveLength(1)
})

test('the readable log prints a line that is not from the log unchanged', () => {
  expect([formatLogLine('plain\n', false), formatLogLine('{"a":1}\n', true)]).toEqual(['plain\n', '{"a":1}\n'])
})

test('a line of the fast log function equals a line of pino, and is filtered by level', () => {
  const fields = { requestId: 'r', path: '/"\u0007\ud800é', status: 200, aborted: true, ms: 1.5 }
  const [plain = '', other = ''] = logged(undefined, (log) => {
    logPlainly(log, fields, 'request')
    log.info(fields, 'request')
    log.level = 'warn'
    logPlainly(log, fields, 'request')
  }).split('\n', 2)
  const timeless = (line: string) => line.replace(/"time":"[^"]+"/, '')
  expect(timeless(plain)).toBe(timeless(other))
  expect(plain).toMatch(/^\{"level":"info","time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","requestId":"r"/)
})
