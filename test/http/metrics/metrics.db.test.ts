import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { postForm, register } from '../oidc/flow.ts'

const token = 'a token of more than sixteen characters'
let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { metrics: { token } } })
})
afterAll(() => t.stop())

const scrape = (authorization?: string) =>
  t.client().request('/metrics', authorization === undefined ? {} : { headers: { authorization } })

/** The value of one metric line, or undefined without the line. */
const metric = async (name: string, labels: Readonly<Record<string, string>> = {}): Promise<number | undefined> => {
  const { text } = await scrape(`Bearer ${token}`)
  const line = text.split('\n').find((candidate) => {
    const [, found, inner = ''] = /^(\w+)(?:\{(.*)\})? /.exec(candidate) ?? []
    return found === name && Object.entries(labels).every(([label, value]) => inner.includes(`${label}="${value}"`))
  })
  return line === undefined ? undefined : Number(line.slice(line.lastIndexOf(' ')))
}

describe('readers of metrics', () => {
  test('metrics are not found if neither a token nor a port is set', async () => {
    const closed = await t.node({ metrics: {} })
    const answer = await closed.client().request('/metrics', { headers: { authorization: 'Bearer undefined' } })
    expect([answer.status, answer.json['code']]).toEqual([404, 'NOT_FOUND'])
    await closed.stop()
  })

  test('metrics with a missing or wrong token are refused with METRICS_TOKEN_IS_WRONG', async () => {
    for (const given of [undefined, 'Bearer', 'Bearer wrong', token, `Bearer ${token} `.repeat(2)])
      expect([(await scrape(given)).status, (await scrape(given)).json['code']]).toEqual([401, 'METRICS_TOKEN_IS_WRONG'])
  })

  test('metrics with the token come in the text format of Prometheus', async () => {
    const answer = await scrape(`Bearer ${token}`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(answer.text).toContain('# TYPE gatehouse_http_request_duration_seconds histogram')
    expect(answer.text).toContain('nodejs_eventloop_lag_p99_seconds')
  })
})

describe('the measured values', () => {
  test('a request is counted under the path of its endpoint, never under the requested URL', async () => {
    await t.client().request('/organization/nothing-has-this-path')
    await t.client().request('/get-session?secret=in-the-address')
    const { text } = await scrape(`Bearer ${token}`)
    expect(await metric('gatehouse_http_request_duration_seconds_count', { route: '/get-session', class: '2xx' })).toBe(1)
    expect(await metric('gatehouse_http_request_duration_seconds_count', { route: 'none', class: '4xx' })).toBe(1)
    expect(text).not.toMatch(/nothing-has-this-path|in-the-address/)
  })

  test('sessions started by sign-ins and wrong passwords are counted by method', async () => {
    await t.signedIn('counted@example.com')
    const attempt = (given: string) => t.client().post('/sign-in/email', { email: 'counted@example.com', password: given })
    await attempt('wrong password')
    await attempt(password)
    expect(await metric('gatehouse_sign_ins_total', { method: 'password', outcome: 'wrong' })).toBe(1)
    // The sign-up started a session too.
    expect(await metric('gatehouse_sign_ins_total', { method: 'password', outcome: 'session' })).toBe(2)
    expect(await metric('gatehouse_security_events_total', { event: 'sign-in.failed', code: 'INVALID_EMAIL_OR_PASSWORD' })).toBe(
      1,
    )
    expect(await metric('gatehouse_password_hashes', { state: 'running' })).toBe(0)
  })

  test('requests of the token endpoint are counted by grant type and outcome', async () => {
    const machine = await register(t, { type: 'machine', redirectUris: [], scope: ['profile'] })
    await postForm(t, machine, '/oauth2/token', { grant_type: 'client_credentials' })
    await postForm(t, await register(t), '/oauth2/token', { grant_type: 'refresh_token', refresh_token: 'none' })
    await postForm(t, machine, '/oauth2/token', { grant_type: 'made up' })
    const of = (grant_type: string, outcome: string) => metric('gatehouse_token_requests_total', { grant_type, outcome })
    expect(await metric('gatehouse_http_request_duration_seconds_count', { route: '/oauth2/token', class: '2xx' })).toBe(1)
    expect(await of('client_credentials', 'success')).toBe(1)
    expect(await of('refresh_token', 'invalid_grant')).toBe(1)
    expect(await of('other', 'unsupported_grant_type')).toBe(1)
  })

  test('waiting, running and failed tasks are counted by kind, and waiting events by reader', async () => {
    const waits = await metric('gatehouse_tasks_waiting', { kind: 'events.sweep' })
    const { text } = await scrape(`Bearer ${token}`)
    expect(text).toMatch(/^gatehouse_tasks_waiting\{kind="[\w.-]+"\} 1$/m)
    expect(text).toMatch(/^gatehouse_events_unsealed \d+$/m)
    expect(text).toMatch(/^gatehouse_database_connections\{state="waiting"\} \d+$/m)
    expect(waits ?? 1).toBe(1)
  })

  test('no metric has a label with email addresses, ids or names, whose number grows with people', async () => {
    const { text } = await scrape(`Bearer ${token}`)
    const ids = (await t.app.core.db.knex('user').pluck('id')) as string[]
    for (const part of [...ids, 'counted@example.com', '127.0.0.1']) expect(text).not.toContain(part)
  })
})

test('every metric that the dashboard and the alert rules name exists', async () => {
  const { text } = await scrape(`Bearer ${token}`)
  const names = new Set(text.split('\n').flatMap((line) => /^# TYPE (\w+) /.exec(line)?.[1] ?? []))
  const files = ['grafana-dashboard.json', 'gatehouse-alerts.yml'].map((name) => readFileSync(`config/${name}`, 'utf8'))
  const used = new Set(files.join('\n').match(/\b(?:gatehouse_\w+|nodejs_\w+|process_\w+)\b/g))
  expect(used.size).toBeGreaterThan(10)
  expect([...used].filter((name) => !names.has(name.replace(/_(?:count|bucket|sum)$/, '')))).toEqual([])
})
