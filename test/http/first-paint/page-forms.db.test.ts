/** The form of the sign-in page, posted by a browser that runs no script or has not run it yet. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readTexts } from '../../../admin-ui/texts.ts'
import { password, type TestApp, testApp } from '../../support/app.ts'
import { withAuthenticator } from '../../support/totp.ts'
import { authorizePath, register } from '../oidc/flow.ts'

const texts = readTexts()['pages']
const said = (locale: string, key: string) => String(texts?.[locale]?.['pages']?.[key] ?? texts?.[locale]?.['server']?.[key])

let t: TestApp
beforeAll(async () => {
  t = await testApp({ config: { trustedOrigins: ['https://app.example.com'] } })
  await t.signedIn('ann@example.com')
})
afterAll(() => t.stop())

const inBrowser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'sec-fetch-mode': 'navigate' }
interface Answer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly text: string
}
const post = async (
  fields: Readonly<Record<string, string>>,
  { path = '/sign-in', headers = {}, by = t }: { path?: string; headers?: Readonly<Record<string, string>>; by?: TestApp } = {},
): Promise<Answer> => {
  const sent = request(by.url + path, {
    method: 'POST',
    headers: { ...inBrowser, origin: by.url, 'content-type': 'application/x-www-form-urlencoded', ...headers },
  }).end(new URLSearchParams(fields).toString())
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, headers: answer.headers, text: await text(answer) }
}
const cookiesOf = ({ headers }: Answer) => (headers['set-cookie'] ?? []).map((cookie) => cookie.split('=', 1)[0])
const ann = { email: 'ann@example.com', password }

test('the posted sign-in form starts a session and redirects to the requested page', async () => {
  const plain = await post(ann)
  expect([plain.status, plain.headers.location, plain.headers['cache-control']]).toEqual([302, '/account', 'no-store'])
  expect(cookiesOf(plain)).toContain('gatehouse.session')
  const there = await post(ann, { path: '/sign-in?callbackURL=%2Faccount%2Fdevices&ui_locales=de' })
  expect(there.headers.location).toBe('/account/devices')
})

test('a destination on another origin is reached by an intermediate page, because the content policy also applies to redirects of forms', async () => {
  const answer = await post(ann, { path: '/sign-in?callbackURL=https%3A%2F%2Fapp.example.com%2Fhome%3Fa%3D1%26b%3D2' })
  expect([answer.status, answer.headers['refresh'], answer.headers.location]).toEqual([
    200,
    '0;url=https://app.example.com/home?a=1&b=2',
    undefined,
  ])
  expect(answer.text).toContain('href="https://app.example.com/home?a=1&amp;b=2"')
  expect(cookiesOf(answer)).toContain('gatehouse.session')
})

test('the posted sign-in form continues the sign-in of an application', async () => {
  const client = await register(t, { skipConsent: true })
  const browser = t.client()
  const started = await browser.fetch(authorizePath(client))
  const path = started.headers.get('location') ?? ''
  expect(path).toMatch(/^\/sign-in\?interaction=/)
  const answer = await post(ann, { path })
  expect(answer.headers['refresh']).toBe(`0;url=/interaction/${new URLSearchParams(path.split('?')[1]).get('interaction')}`)
})

test('the posted sign-in form redirects to no untrusted address', async () => {
  for (const url of ['https://evil.example/', '//evil.example', 'javascript:alert(1)']) {
    const answer = await post(ann, { path: `/sign-in?callbackURL=${encodeURIComponent(url)}` })
    expect([answer.status, answer.headers.location, answer.headers['refresh']], url).toEqual([403, undefined, undefined])
    expect(answer.text).toContain(said('en', 'problem.callback'))
    expect(cookiesOf(answer)).not.toContain('gatehouse.session')
  }
})

test('a wrong password is answered with the page in its language, the error at its field, the typed email address and no password', async () => {
  const answer = await post(
    { email: 'ann@example.com"><i>', password: 'not it at all' },
    { headers: { 'accept-language': 'pl' } },
  )
  expect([answer.status, answer.headers['cache-control']]).toEqual([400, 'no-store'])
  expect(answer.text).not.toContain('"><i>')
  const wrong = await post({ ...ann, password: 'not it at all' }, { headers: { 'accept-language': 'pl' } })
  expect([wrong.status, wrong.headers['content-type']]).toEqual([401, 'text/html; charset=utf-8'])
  expect(wrong.text).toContain('value="ann@example.com"')
  expect(wrong.text).toContain(`<span>${said('pl', 'problem.wrongPassword')}</span>`)
  expect(wrong.text).toMatch(/aria-invalid="true"[^>]* name="password"/)
  expect(wrong.text).not.toContain('not it at all')
  // An unchecked box stays unchecked.
  expect(wrong.text).not.toMatch(/name="rememberMe"[^>]* checked/)
  expect(await (await fetch(`${t.url}/sign-in`)).text()).toMatch(/name="rememberMe"[^>]* checked/)
})

test('empty fields of the sign-in form are reported', async () => {
  const answer = await post({ email: '', password: '' })
  expect(answer.status).toBe(400)
  expect(answer.text).toContain(said('en', 'problem.emailMissing'))
  expect(answer.text).toContain(said('en', 'problem.passwordMissing'))
})

test('a sign-in form posted from another site signs nobody in, even from an origin that is trusted for calls', async () => {
  for (const origin of ['https://evil.example', 'https://app.example.com', 'null']) {
    const answer = await post(ann, { headers: { origin } })
    expect([answer.status, cookiesOf(answer).includes('gatehouse.session')], origin).toEqual([403, false])
    expect(answer.text).toContain(said('en', 'problem.origin'))
  }
})

test('a page with a form lets browsers send its origin, and a program that posts gets JSON', async () => {
  const page = await fetch(`${t.url}/sign-in`)
  expect(page.headers.get('referrer-policy')).toBe('same-origin')
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self'")
  expect((await fetch(`${t.url}/account`)).headers.get('referrer-policy')).toBe('no-referrer')
  const json = await post({ ...ann, password: 'not it at all' }, { headers: { accept: 'application/json' } })
  expect([json.status, JSON.parse(json.text).code]).toEqual([401, 'INVALID_EMAIL_OR_PASSWORD'])
})

describe('sign-in forms with rate limits', () => {
  let limited: TestApp
  beforeAll(async () => {
    limited = await testApp({ config: { limits: { enabled: 'on', strict: { max: 3, windowSeconds: 100 } } } })
  })
  afterAll(() => limited.stop())

  test('the sign-in form shares the rate limit of the sign-in call, says how long to wait, and keeps the typed email address', async () => {
    limited.clock.hold()
    const send = limited.client()
    for (const _ of [1, 2]) await send.post('/sign-in/email', { email: 'eve@example.com', password })
    const headers = { 'accept-language': 'en' }
    expect((await post({ email: 'eve@example.com', password }, { by: limited, headers })).status).toBe(401)
    const answer = await post({ email: 'eve@example.com', password }, { by: limited, headers })
    expect([answer.status, Number(answer.headers['retry-after']) > 0]).toEqual([429, true])
    expect(answer.text).toContain(`${said('en', 'problem.tooMany')} (`)
    expect(answer.text).toContain('value="eve@example.com"')
    const call = await send.fetch('/sign-in/email', {
      method: 'POST',
      body: JSON.stringify({ email: 'eve@example.com', password }),
      headers: { 'content-type': 'application/json' },
    })
    expect(call.status).toBe(429)
  })
})

test('a second factor is asked for on its own page, with the destination kept', async () => {
  await withAuthenticator(t, 'ben@example.com')
  const answer = await post({ email: 'ben@example.com', password }, { path: '/sign-in?callbackURL=%2Faccount%2Fdevices' })
  expect([answer.status, answer.headers.location]).toEqual([302, '/two-factor?callbackURL=%2Faccount%2Fdevices'])
  expect(cookiesOf(answer)).not.toContain('gatehouse.session')
})

describe('the form for a forgotten password', () => {
  const path = '/forgot-password?callbackURL=%2Faccount%2Fdevices'

  test('the form for a forgotten password mails a link that keeps the destination, and confirms the mail without a script', async () => {
    const answer = await post({ email: 'ann@example.com' }, { path })
    expect([answer.status, answer.headers.location]).toEqual([
      302,
      '/forgot-password?email=ann%40example.com&sent=1&callbackURL=%2Faccount%2Fdevices',
    ])
    expect((await t.mailTo('ann@example.com', 'reset-password')).raw).toContain(
      encodeURIComponent('/reset-password?callbackURL='),
    )
    const sent = await (await fetch(t.url + answer.headers.location)).text()
    expect(sent).toContain(`<h1>${said('en', 'checkEmail.title')}</h1>`)
    expect(sent).not.toContain('ann@example.com')
    // The answer is the same for an unknown address.
    expect((await post({ email: 'nobody@example.com' }, { path })).status).toBe(302)
  })

  test('a missing email address is reported in the form for a forgotten password, and another origin cannot post the form', async () => {
    const page = await fetch(t.url + path)
    expect([page.headers.get('referrer-policy'), (await page.text()).includes('<form class="form"')]).toEqual([
      'same-origin',
      true,
    ])
    const missing = await post({ email: '' }, { path })
    expect([missing.status, missing.text.includes(said('en', 'problem.emailMissing'))]).toEqual([400, true])
    expect((await post({ email: 'ann@example.com' }, { path, headers: { origin: 'https://evil.example' } })).status).toBe(403)
  })

  test('the form for a forgotten password says that it needs JavaScript if a proof of work is required', async () => {
    const proving = await testApp({ config: { limits: { proofOfWork: { for: ['reset'], difficulty: 4 } } } })
    const answer = await post({ email: 'ann@example.com' }, { path: '/forgot-password', by: proving })
    expect([answer.status, answer.text.includes(said('en', 'noScript.proof'))]).toEqual([400, true])
    expect(answer.text).toContain('value="ann@example.com"')
    await proving.stop()
  })
})

describe('the buttons of providers', () => {
  const keys = { clientId: 'id', clientSecret: 'secret' }
  let social: TestApp
  beforeAll(async () => {
    social = await testApp({
      config: {
        trustedOrigins: ['https://app.example.com'],
        social: { github: keys, discord: keys, gitlab: keys, spotify: keys, reddit: keys },
        limits: { enabled: 'on', strict: { max: 3, windowSeconds: 100 } },
      },
    })
  })
  afterAll(() => social.stop())
  const choose = (provider: string, options: Parameters<typeof post>[1] = {}) => {
    social.clock.advance({ minutes: 10 })
    return post({ provider }, { by: social, ...options })
  }

  test("the pages for sign-in and sign-up have a form with the buttons of all providers, and the form posts to the page's own address", async () => {
    for (const path of ['/sign-in', '/sign-up']) {
      const page = await (await fetch(social.url + path)).text()
      const form = /<form class="social-buttons.*?<\/form>/s.exec(page)?.[0] ?? ''
      expect(form).toContain('method="post"')
      expect(form).not.toContain('action=')
      const ids = [...form.matchAll(/type="submit" value="(\w+)"/g)].map(([, id]) => id)
      expect(ids.sort()).toEqual(['discord', 'github', 'gitlab', 'reddit', 'spotify'])
      expect(form).toContain('aria-label="Continue with GitHub"')
    }
  })

  test('a chosen provider is reached by an intermediate page, and the sign-in is bound to this browser and returns to the requested page', async () => {
    for (const page of ['/sign-in', '/sign-up']) {
      const answer = await choose('github', { path: `${page}?callbackURL=%2Faccount%2Fdevices` })
      expect([answer.status, answer.headers.location]).toEqual([200, undefined])
      expect(answer.headers['refresh']).toMatch(/^0;url=https:\/\/github\.com\/login\/oauth\/authorize\?/)
      expect(cookiesOf(answer)).toEqual(expect.arrayContaining([expect.stringContaining('social')]))
      expect(cookiesOf(answer)).not.toContain('gatehouse.session')
    }
  })

  test('another origin cannot choose a provider, and no sign-in returns to an untrusted address', async () => {
    for (const origin of ['https://evil.example', 'https://app.example.com', 'null']) {
      const answer = await choose('github', { headers: { origin } })
      expect([answer.status, answer.headers['refresh'], cookiesOf(answer)], origin).toEqual([403, undefined, []])
    }
    for (const url of ['https://evil.example/', '//evil.example', 'javascript:alert(1)']) {
      const answer = await choose('github', { path: `/sign-in?callbackURL=${encodeURIComponent(url)}` })
      expect([answer.status, answer.headers['refresh']], url).toEqual([403, undefined])
    }
  })

  test('an unknown provider is reported on the sign-in page', async () => {
    const answer = await choose('nobody"><i>')
    expect([answer.status, answer.text.includes(said('en', 'problem.providerOff'))]).toEqual([404, true])
    expect(answer.text).not.toContain('"><i>')
  })

  test('choosing a provider by the form shares the rate limit of the call', async () => {
    social.clock.advance({ minutes: 10 })
    social.clock.hold()
    const caller = social.client()
    for (const _ of [1, 2]) await caller.post('/sign-in/social', { provider: 'github', disableRedirect: true })
    expect((await post({ provider: 'github' }, { by: social })).status).toBe(200)
    const answer = await post({ provider: 'github' }, { by: social })
    expect([answer.status, Number(answer.headers['retry-after']) > 0]).toEqual([429, true])
  })
})

describe('the sign-up form', () => {
  const path = '/sign-up?callbackURL=%2Faccount%2Fdevices'
  const fresh = () => ({ name: 'Eve', email: `eve.${randomUUID()}@example.com`, password })

  test('the sign-up form creates an account, signs the person in, and redirects to the requested page', async () => {
    const answer = await post(fresh(), { path })
    expect([answer.status, answer.headers.location]).toEqual([302, '/account/devices'])
    expect(cookiesOf(answer)).toContain('gatehouse.session')
  })

  test('if email addresses are verified first, the sign-up form leads to a page about the verification', async () => {
    const strict = await testApp({ config: { accounts: { requireEmailVerification: true } } })
    const account = fresh()
    const answer = await post(account, { path, by: strict })
    expect([answer.status, answer.headers.location]).toEqual([
      302,
      `/check-email?${new URLSearchParams({ email: account.email, callbackURL: '/account/devices' })}`,
    ])
    expect(cookiesOf(answer)).not.toContain('gatehouse.session')
    await strict.stop()
  })

  test('a refused sign-up form reports the error at its field, and keeps everything typed except the password', async () => {
    const empty = await post({ name: '', email: '', password: '' }, { path })
    expect(empty.status).toBe(400)
    for (const key of ['problem.nameMissing', 'problem.emailMissing', 'problem.passwordMissing'])
      expect(empty.text).toContain(said('en', key))
    const slip = await post({ ...fresh(), email: 'ada@example' }, { path })
    expect([slip.status, slip.text.includes(said('en', 'problem.emailInvalid'))]).toEqual([400, true])
    const taken = await post({ name: 'Eve "><i>', email: 'ann@example.com', password }, { path })
    expect([taken.status, taken.text.includes(said('en', 'problem.userExists'))]).toEqual([422, true])
    expect(taken.text).toContain('value="Eve &quot;&gt;&lt;i&gt;"')
    expect(taken.text).toMatch(/aria-invalid="true"[^>]* name="email"/)
    const short = await post({ ...fresh(), password: 'short' }, { path })
    expect([short.status, short.text.includes(said('en', 'problem.passwordShort'))]).toEqual([400, true])
    expect(short.text).not.toContain('value="short"')
  })

  test('another origin cannot create an account by the sign-up form, and the form redirects to no untrusted address', async () => {
    for (const origin of ['https://evil.example', 'https://app.example.com', 'null']) {
      const answer = await post(fresh(), { path, headers: { origin } })
      expect([answer.status, cookiesOf(answer).includes('gatehouse.session')], origin).toEqual([403, false])
    }
    const answer = await post(fresh(), { path: '/sign-up?callbackURL=https%3A%2F%2Fevil.example' })
    expect([answer.status, cookiesOf(answer).includes('gatehouse.session')]).toEqual([403, false])
  })

  test('the sign-up form shares the rate limit of the call, and needs JavaScript if a proof of work is required', async () => {
    const limited = await testApp({ config: { limits: { enabled: 'on', strict: { max: 3, windowSeconds: 100 } } } })
    limited.clock.hold()
    for (const _ of [1, 2]) await limited.client().post('/sign-up/email', fresh())
    expect((await post(fresh(), { path, by: limited })).status).toBe(302)
    expect((await post(fresh(), { path, by: limited })).status).toBe(429)
    await limited.stop()
    const proving = await testApp({ config: { limits: { proofOfWork: { for: ['sign-up'], difficulty: 4 } } } })
    const answer = await post(fresh(), { path: '/sign-up', by: proving })
    expect([answer.status, answer.text.includes(said('en', 'noScript.proof'))]).toEqual([400, true])
    await proving.stop()
  })

  test('the script renders the sign-up page if the form has extra fields or sign-up is closed', async () => {
    for (const config of [{ accounts: { signUpEnabled: false } }, { users: { fields: { floor: { type: 'number' } } } }]) {
      const other = await testApp({ config })
      expect((await (await fetch(`${other.url}/sign-up`)).text()).includes('<div class="early">')).toBe(false)
      await other.stop()
    }
  })
})
