import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { sectionOf } from '../../../admin-ui/hosted/account/navigation.tsx'
import { wordsOf } from '../../../admin-ui/hosted/error/codes.ts'
import { organizationRouteOf } from '../../../admin-ui/hosted/organizations/routes.ts'
import { afterVerification, goTo, pageUrl, returnUrlOf, sameOriginReturnUrl } from '../../../admin-ui/hosted/return-url.ts'
import { forgetToken, takeTabToken, takeToken } from '../../../admin-ui/hosted/token.ts'
import { deviceOf, isHandheld, programOf } from '../../../admin-ui/shared/device.ts'
import { isSlug, parseAddresses, slugOf } from '../../../admin-ui/shared/parsing.ts'
import { deviceOf as serverDeviceOf } from '../../../src/authentication/sessions/rules.ts'

const origin = 'https://auth.example.com'
const query = (text: string) => new URLSearchParams(text)
const assign = vi.fn()

beforeAll(() => void vi.stubGlobal('location', { origin, assign }))
afterAll(() => void vi.unstubAllGlobals())
beforeEach(() => assign.mockClear())

describe('the return URL', () => {
  test('the interaction of an application takes precedence over a callback URL, and a callback URL over the account page', () => {
    expect(returnUrlOf(query('interaction=u1&callbackURL=/a'))).toBe('/interaction/u1')
    expect(returnUrlOf(query('callbackURL=/a'))).toBe('/a')
    expect(returnUrlOf(query('callbackURL='))).toBe('/account')
  })

  test('only the parameters of the return URL are passed on between pages', () => {
    expect(pageUrl('/sign-up', query('interaction=u1&ui_locales=de&token=secret'))).toBe('/sign-up?interaction=u1&ui_locales=de')
    expect(pageUrl('/sign-in', query('x=1'))).toBe('/sign-in')
  })

  test('a verification mail links to a page of gatehouse, or directly to a callback URL of another origin', () => {
    expect(afterVerification(query('interaction=u1'))).toBe('/verified?interaction=u1')
    expect(afterVerification(query(''))).toBe('/verified')
    expect(afterVerification(query('callbackURL=https://app.example.com/x'))).toBe('https://app.example.com/x')
  })

  test.each(['https://evil.example/', '//evil.example', 'javascript:alert(1)', 'data:text/html,x', '/\\evil.example'])(
    'a page does not link to another origin that the server has not checked: %s',
    (callbackURL) => {
      const onward = new URL(sameOriginReturnUrl(new URLSearchParams({ callbackURL })), origin)
      expect(onward.origin).toBe(origin)
      expect(onward.pathname).toBe('/sign-in')
    },
  )

  test('an address that runs code or opens a file is refused', () => {
    for (const address of ['javascript:alert(1)', 'data:text/html,x', 'blob:https://auth.example.com/1', 'file:///etc/passwd'])
      expect(() => goTo(address)).toThrow()
    goTo('/account')
    expect(String(assign.mock.lastCall?.[0])).toBe(`${origin}/account`)
  })
})

test('a token is removed from the address bar and survives a reload', () => {
  const history = {
    state: null as unknown,
    replaceState: vi.fn((state: unknown) => void Object.assign(history, { state })),
  }
  vi.stubGlobal('history', history)
  expect(takeToken('/reset-password', query('token=secret&interaction=u1'))).toBe('secret')
  expect(history.replaceState).toHaveBeenCalledWith({ token: 'secret' }, '', '/reset-password?interaction=u1')
  expect(takeToken('/reset-password', query('interaction=u1'))).toBe('secret')
  history.state = { other: 1 }
  expect(takeToken('/reset-password', query(''))).toBeUndefined()
})

test('the token of an invitation is kept for the tab until it is used', () => {
  const history = { state: null as unknown, replaceState: vi.fn() }
  const kept = new Map<string, string>()
  vi.stubGlobal('history', history)
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
    removeItem: (name: string) => kept.delete(name),
  })
  expect(takeTabToken('/invitation/1', query('token=secret'), 'invitation.1')).toBe('secret')
  expect(takeTabToken('/invitation/1', query(''), 'invitation.1')).toBe('secret')
  expect(takeTabToken('/invitation/2', query(''), 'invitation.2')).toBeUndefined()
  forgetToken('invitation.1')
  expect(takeTabToken('/invitation/1', query(''), 'invitation.1')).toBeUndefined()
  vi.stubGlobal('sessionStorage', undefined)
  expect(takeTabToken('/invitation/1', query('token=secret'), 'invitation.1')).toBe('secret')
})

test('each path of the account area belongs to one section', () => {
  expect([sectionOf('/account'), sectionOf('/account/'), sectionOf('/account/devices')]).toEqual([
    'overview',
    'overview',
    'devices',
  ])
  expect(sectionOf('/account/nonsense')).toBeUndefined()
  expect(sectionOf('/account/devices/more')).toBeUndefined()
  expect(sectionOf('/account/organizations/acme/members')).toBe('organizations')
})

test.each([
  ['/account/organizations', { at: 'list' }],
  ['/account/organizations/', { at: 'list' }],
  ['/account/organizations/new', { at: 'new' }],
  ['/account/organizations/acme', { at: 'organization', slug: 'acme', tab: 'overview' }],
  ['/account/organizations/acme/teams/t1', { at: 'organization', slug: 'acme', tab: 'teams', teamId: 't1' }],
  ['/account/organizations/new/members', undefined],
  ['/account/organizations/acme/nonsense', undefined],
  ['/account/organizations/acme/members/m1', undefined],
  ['/account/organizations/acme/teams/t1/more', undefined],
  ['/account/organizations/%zz', { at: 'organization', slug: '%zz', tab: 'overview' }],
])('a path of organizations belongs to its section: %s', (path, route) => expect(organizationRouteOf(path)).toEqual(route))

test('a pasted list of email addresses is split, and each address is kept once', () => {
  const pasted =
    'Ann Example <Ann@Example.com>, "Bob, the" <bob@example.com>;\ncleo@example.com dan@example.com\n\nann@example.com'
  expect(parseAddresses(pasted)).toEqual([...['ann@example.com', 'bob@example.com', 'cleo@example.com', 'dan@example.com']])
  expect(parseAddresses(' ,;\n ')).toEqual([])
  expect(parseAddresses('not an address')).toEqual(['not', 'an', 'address'])
})

test.each([
  ['Acme Corporation', 'acme-corporation'],
  ['  Größe & Łódź ', 'grosse-lodz'],
  ['Щука і Їжак', 'shchuka-i-izhak'],
  ['İstanbul Çağrı', 'istanbul-cagri'],
  ['日本', ''],
  ['x'.repeat(100), 'x'.repeat(64)],
])('a slug is proposed for the name %s', (name, slug) => {
  expect(slugOf(name)).toBe(slug)
  expect(isSlug(slug)).toBe(slug !== '')
})

describe('names of devices', () => {
  const agents = {
    firefox: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    iphone:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    edge: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0',
    samsung:
      'Mozilla/5.0 (Linux; Android 15; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/27.0 Chrome/125.0 Mobile Safari/537.36',
    mac: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
  }

  test.each(Object.values(agents))('a device has the same name on the page and on the server: %s', (agent) => {
    const device = deviceOf(agent)
    expect(`${device?.browser} on ${device?.system}`).toBe(serverDeviceOf(agent))
  })

  test('a program is named by its user agent, and an unknown user agent has no name', () => {
    expect([deviceOf('curl/8.5.0'), programOf('curl/8.5.0')]).toEqual([undefined, 'curl'])
    expect([deviceOf(''), programOf('')]).toEqual([undefined, undefined])
    expect([isHandheld(agents.iphone), isHandheld(agents.samsung), isHandheld(agents.mac)]).toEqual([true, true, false])
  })
})

test('an error code has its texts in any spelling, and an unknown code has the general texts', () => {
  expect(wordsOf('INVALID_TOKEN')).toEqual(wordsOf('invalid token'))
  expect(wordsOf('unauthorized').title).toBe('error.otherBrowser.title')
  expect(wordsOf('OPEN_THE_LINK_IN_THE_BROWSER_THAT_ASKED').title).toBe('error.mailLink.title')
  expect(wordsOf('SIGN_IN_BY_MAIL_IS_NOT_ENABLED').title).toBe('error.mailSignInOff.title')
  expect(wordsOf('account not linked').title).toBe('error.notLinked.title')
  for (const code of ['', 'nonsense', 'constructor', '__proto__']) expect(wordsOf(code).title).toBe('error.title')
})
