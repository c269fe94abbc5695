import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createAccountMailContents } from '../../src/authentication/verification/mail-contents.ts'
import type { Brand } from '../../src/brand/index.ts'
import { contrastOf } from '../../src/brand/rules/oklch.ts'
import { paletteOf } from '../../src/brand/rules/palette.ts'
import { type Locale, languageCodes, locales } from '../../src/core/locale.ts'
import { createMailTexts, sayIn } from '../../src/core/mail-texts.ts'
import { frameOf as makeFrame } from '../../src/mail/frame.ts'
import { parseMailbox } from '../../src/mail/rules.ts'
import { renderMail } from '../../src/mail/template.ts'
import { type InvitationMail, invitationMail as makeInvitationMail } from '../../src/organizations/mails.ts'
import { runs } from '../support/runs.ts'

const texts = createMailTexts()
const { verificationMail } = createAccountMailContents(texts('account'))
const invitationMail = (mail: InvitationMail) => makeInvitationMail(mail, texts('organizations'))

const plainBrand: Brand = {
  ...{ version: '1', name: 'gatehouse', isNamed: false, logo: null, logoDark: null, icon: null, color: null, palette: null },
  ...{ background: 'plain', links: {}, poweredBy: false },
}
const frameOf = (brand: Brand, url: string) => makeFrame(brand, url, texts('frame'))
const plain = frameOf(plainBrand, 'https://auth.example.com')

describe('rendering', () => {
  const render = (text: string) =>
    renderMail(
      {
        subject: text,
        heading: text,
        paragraphs: [text, text],
        facts: [{ label: text, value: text }],
        action: { label: text, url: `https://auth.example.com/?q=${encodeURIComponent(text)}` },
        footnote: text,
      },
      frameOf({ ...plainBrand, name: text }, 'https://auth.example.com'),
    )
  const tags = (html: string) => html.match(/<[^>]*>/g)?.length

  test('no text changes the markup of a mail', () => {
    const expected = tags(render('x').html)
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => tags(render(text).html) === expected))
    for (const text of ['<b>', '"><script>', "' onload='", '&lt;', '</style>', '<!--'])
      expect(tags(render(text).html)).toBe(expected)
  })

  test('a subject is one short line, and nothing in a mail turns the direction of writing', () => {
    const samples = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('a', ' ', '\0', '\n', '\u2028', '\u061c', '\u200e', '\u202e', '\u2066') }),
    )
    fc.assert(
      fc.property(samples, (value) => {
        const { subject, text, html } = render(value)
        return !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(subject) && ![subject, text, html].some((part) => /\p{Bidi_Control}/u.test(part))
      }),
    )
    expect([...render('x'.repeat(1000)).subject]).toHaveLength(150)
  })

  test('a mail refuses links that are no web addresses', () => {
    const words = verificationMail({ name: 'Ann', language: null }, 'javascript:alert(1)', 60)
    expect(() => renderMail(words, plain)).toThrow('web address')
  })
})

const northwind: Brand = {
  ...plainBrand,
  ...{ name: 'Northwind <&>', isNamed: true, color: '#ffd400', palette: paletteOf('#ffd400') },
  logo: { url: 'https://id.example/images/svg', bitmapUrl: 'https://id.example/images/png' },
  logoDark: { url: 'https://id.example/images/dark-svg', bitmapUrl: 'https://id.example/images/dark-png' },
  links: { support: 'mailto:help@northwind.example', privacy: 'https://northwind.example/privacy' },
}
const words = (language?: Locale) => ({
  ...(language === undefined ? {} : { language }),
  ...{ subject: 'New sign-in', heading: 'Hello', paragraphs: ['Somewhere new.', 'More.'], footnote: 'Foot.' },
  facts: [
    { label: 'Device', value: 'Firefox on Linux' },
    { label: 'Time', value: '1 May' },
  ],
  action: { label: 'Look', url: 'https://id.example/account' },
})

test('a mail shows the logo as a bitmap with the name in its place, and the name alone where it would not load', () => {
  const { html } = renderMail(words(), frameOf(northwind, 'https://id.example'))
  expect(html).toMatch(/<img class="on-light" src="https:\/\/id\.example\/images\/png" alt="Northwind &lt;&amp;&gt;"/)
  expect(html).toMatch(/<img class="on-dark strong" src="https:\/\/id\.example\/images\/dark-png" [^>]*style="display:none/)
  const named = [
    frameOf(northwind, 'http://id.example'),
    frameOf({ ...northwind, logo: null, logoDark: null }, 'https://id.example'),
  ]
  for (const frame of named) {
    const { html } = renderMail(words(), frame)
    expect(html).not.toContain('<img')
    expect(html).toContain('>Northwind &lt;&amp;&gt;</p>')
  }
})

test('both parts of a mail have the same content: name, words, facts as rows, link, who sends it, why, and help', () => {
  for (const language of locales) {
    const { html, text } = renderMail(words(language), frameOf({ ...northwind, name: 'Northwind' }, 'https://id.example'))
    const shown = [
      ...['Northwind', 'Hello', 'Somewhere new.', 'More.', 'Device', 'Firefox on Linux', 'Time', '1 May', 'Look', 'Foot.'],
      ...['https://id.example/account', 'id.example', 'mailto:help@northwind.example', 'https://northwind.example/privacy'],
    ]
    for (const part of shown) for (const written of [html, text]) expect(written).toContain(part)
    expect(text).toContain('Device: Firefox on Linux\nTime: 1 May')
    expect(html.match(/<tr><th [^>]*scope="row"/g)).toHaveLength(2)
    // No placeholder is left, and the foot is a sentence with both names.
    expect(text).not.toMatch(/[{}]/)
    expect(text.split('-- ')[1]).toMatch(/Northwind.*id\.example|id\.example.*Northwind/)
  }
})

test('lists of mails show facts or the last words behind the subject, which repeats neither the first words nor the code', () => {
  const hiddenIn = (content: Parameters<typeof renderMail>[0]) =>
    /<body[^>]*>\s*<div style="display:none[^>]*>(.*?)<\/div>/
      .exec(renderMail(content, plain).html)?.[1]
      ?.replace(/&#847;&zwnj;&nbsp;/g, '')
  expect(hiddenIn({ ...words(), code: '123456' })).toBe('Firefox on Linux · 1 May')
  expect(hiddenIn({ ...words(), facts: [] })).toBe('Foot.')
})

test('a subject names the company once it has a name, and is no longer for it', () => {
  const subject = (text: string, brand: Brand) =>
    renderMail({ ...words(), subject: text }, frameOf(brand, 'https://id.example')).subject
  expect(subject('New sign-in', plainBrand)).toBe('New sign-in')
  expect(subject('New sign-in', { ...northwind, name: 'Northwind' })).toBe('New sign-in · Northwind')
  expect(subject('Ann invited you to Acme on Northwind', { ...northwind, name: 'Northwind' })).toBe(
    'Ann invited you to Acme on Northwind',
  )
  const long = subject('x'.repeat(1000), { ...northwind, name: 'Northwind' })
  expect(long).toMatch(/x · Northwind$/)
  expect([...long]).toHaveLength(150)
})

test('the button of a mail has the colour of the brand and can be read, whatever the colour', () => {
  const hex = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`)
  fc.assert(
    fc.property(hex, (color) => {
      const { button } = frameOf({ ...northwind, color, palette: paletteOf(color) }, 'https://id.example')
      return [button.light, button.dark].every(({ fill, text }) => contrastOf(fill, text) >= 4.5)
    }),
    { numRuns: 2 * runs },
  )
  const frame = frameOf(northwind, 'https://id.example')
  const { html } = renderMail(words(), frame)
  expect(html).toContain(`background:${frame.button.light.fill};color:${frame.button.light.text}`)
  expect(html).toContain(`.button { background: ${frame.button.dark.fill} !important`)
})

test('a greeting contains a name only when it cannot be read as a message', () => {
  const heading = (name: string) => verificationMail({ name, language: null }, 'https://x.example', 3600).heading
  for (const name of ['Ann', "O'Neill", 'Dr. Ann Example', 'Renée', '李雷']) expect(heading(name)).toBe(`Hello ${name}`)
  for (const name of [
    ...['Win at https://evil.example', 'evil.example', 'a@b.example', 'x'.repeat(61), ''],
    // A paragraph of its own, text in the other direction, a full stop that is another letter.
    ...['Ann\n\nYou have won', 'Ann\u2028You have won', 'Ann\u202Enna', 'evil\uFF0Eexample', 'evil\u2024example'],
    // Nothing that can be seen, more above a letter than it can bear, a number to call, an amount.
    ...['\u3164', '\u2800', 'Ann\u200B', `A${'\u0301'.repeat(9)}nn`, 'Call 0900 123 456', 'Win $1000', 'x'.repeat(41)],
  ])
    expect(heading(name)).toBe('Hello')
})

test('an invitation names inviter and organization only by names without a message, in the requested language', () => {
  const mail = (organizationName: string, inviterName: string | undefined, language: number | null = null, company?: string) =>
    invitationMail({
      ...{ email: 'bob@x.example', name: '', language, inviterName, url: 'https://x.example/invitation/1', ttlSeconds: 604_800 },
      company,
      organization: { name: organizationName, slug: 'acme', logo: null },
    })
  const english = mail('Acme Inc', 'Ann')
  expect([english.language, english.subject, english.heading]).toEqual(['en', 'Ann invited you to Acme Inc', 'Hello'])
  expect(english.paragraphs).toEqual(['Ann invites you to join Acme Inc.'])
  expect(english.footnote).toContain('for bob@x.example and can be accepted for 7 days')
  expect(mail('Acme', 'Ann Example', null, 'Northwind').subject).toBe('Ann Example invited you to Acme on Northwind')
  expect(mail('Acme', undefined, null, 'Northwind').subject).toBe('Invitation to Acme')
  expect(mail('Acme Inc', undefined).paragraphs).toEqual(['You are invited to join Acme Inc.'])
  for (const bad of ['Win at https://evil.example', 'evil.example', 'x'.repeat(61)]) {
    const { subject, paragraphs } = mail(bad, bad)
    expect([subject, paragraphs]).toEqual(['Invitation to acme', ['You are invited to join acme.']])
  }
  for (const bad of ['Аcme\u202Eemca', 'Acme\u0000', 'Win $1000 now!'])
    expect(mail(bad, bad, null, 'Northwind').subject).toBe('Invitation to acme')
  const slugless = invitationMail({
    ...{ email: 'bob@x.example', name: '', language: null, inviterName: 'Ann', url: 'https://x.example/i/1', ttlSeconds: 3600 },
    company: 'Northwind',
    organization: { name: 'You have won: call', slug: 'call-0900-123-456-now', logo: null },
  })
  expect([slugless.subject, slugless.paragraphs]).toEqual([
    'Invitation to an organization',
    ['You are invited to join an organization.'],
  ])
  const subjects = locales.map((locale) => mail('Acme', 'Ann', languageCodes[locale], 'Northwind').subject)
  for (const subject of subjects) for (const name of ['Acme', 'Ann', 'Northwind']) expect(subject).toContain(name)
  expect(mail('Acme', 'Ann', 6).paragraphs).toEqual(['Ann lädt Sie ein, Acme beizutreten.'])
})

test('an invitation shows the logo of the organization that is served here over TLS, small, and none from elsewhere', () => {
  const html = (logo: string | null, origin = 'https://auth.example.com') =>
    renderMail(
      invitationMail({
        ...{ email: 'bob@x.example', name: '', language: null, inviterName: 'Ann', company: undefined, ttlSeconds: 3600 },
        ...{ url: `${origin}/invitation/1`, organization: { name: 'Acme Inc', slug: 'acme', logo } },
      }),
      plain,
    ).html
  const logo = 'https://auth.example.com/images/abc'
  expect(html(logo)).toContain(`<img src="${logo}" alt="Acme Inc" width="40" height="40"`)
  for (const other of [
    null,
    'https://elsewhere.example/images/abc',
    'https://auth.example.com/other',
    'https://auth.example.com.evil/images/a',
  ])
    expect(html(other)).not.toContain('<img')
  expect(html('http://auth.example.com/images/abc', 'http://auth.example.com')).not.toContain('<img')
})

test.each([
  ['Acme <no-reply@acme.com>', { name: 'Acme', address: 'no-reply@acme.com' }],
  ['"Acme, Inc." <No-Reply@Acme.com>', { name: 'Acme, Inc.', address: 'no-reply@acme.com' }],
  ['no-reply@acme.com', { name: '', address: 'no-reply@acme.com' }],
  ['<no-reply@acme.com>', { name: '', address: 'no-reply@acme.com' }],
  ['a@acme.com, b@acme.com', undefined],
  ['Acme <a@acme.com> <b@acme.com>', undefined],
  ['Acme', undefined],
  ['', undefined],
])('a sender must be one mailbox: %j', (text, mailbox) => {
  expect(parseMailbox(text)).toEqual(mailbox)
})

test('a text of a mail that does not exist and a wrong parameter do not compile', () => {
  const say = sayIn<'organizations'>(texts('organizations')('en'))
  expect([
    // @ts-expect-error: the text names whom it greets.
    say('helloName'),
    // @ts-expect-error: the parameter has another name.
    say('helloName', { called: 'Ann' }),
    // @ts-expect-error: the text names nobody.
    say('hello', { name: 'Ann' }),
  ]).toEqual(['Hello ', 'Hello ', 'Hello'])
  // @ts-expect-error: there is no such text.
  expect(() => say('helo')).toThrow()
})
