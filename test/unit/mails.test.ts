import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createAccountMailContents } from '../../src/authentication/verification/mail-contents.ts'
import type { Brand } from '../../src/brand/index.ts'
import { contrastOf } from '../../src/brand/rules/oklch.ts'
import { paletteOf } from '../../src/brand/rules/palette.ts'
import { coreErrors } from '../../src/core/errors.ts'
import { type Locale, languageCodes, locales } from '../../src/core/locale.ts'
import { createLog } from '../../src/core/log.ts'
import { createMailTexts, sayIn } from '../../src/core/mail-texts.ts'
import { frameOf as makeFrame } from '../../src/mail/frame.ts'
import { createPacker } from '../../src/mail/inline.ts'
import { parseMailbox } from '../../src/mail/rules.ts'
import { renderMail } from '../../src/mail/template.ts'
import { fileTransport } from '../../src/mail/transport.ts'
import { type InvitationMail, invitationMail as makeInvitationMail } from '../../src/organizations/mails.ts'
import { runs } from '../support/runs.ts'

const texts = createMailTexts()
const { verificationMail } = createAccountMailContents(texts('account'))
const invitationMail = (mail: InvitationMail) => makeInvitationMail(mail, texts('organizations'))

const plainBrand: Brand = {
  ...{ version: '1', name: 'gatehouse', isNamed: false, logo: null, logoDark: null, icon: null, color: null, palette: null },
  ...{ radius: 'soft', background: 'plain', links: {}, poweredBy: false },
}
const frameOf = (brand: Brand, url: string) => makeFrame(brand, url, texts('frame'))
const plain = frameOf(plainBrand, 'https://auth.example.com')

describe('rendering of mails', () => {
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

  test('the subject of a mail is one short line, and nothing in a mail changes the writing direction', () => {
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

  test('a mail refuses links that are not web addresses', () => {
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

test('a mail shows the logo as a bitmap with the name as its alternative, or only the name if there is no logo', () => {
  const { html } = renderMail(words(), frameOf(northwind, 'https://id.example'))
  expect(html).toMatch(/<img class="on-light" src="https:\/\/id\.example\/images\/png" alt="Northwind &lt;&amp;&gt;"/)
  expect(html).toMatch(/<img class="on-dark strong" src="https:\/\/id\.example\/images\/dark-png" [^>]*style="display:none/)
  const alone = renderMail(words(), frameOf({ ...northwind, logo: null, logoDark: null }, 'https://id.example')).html
  expect(alone).not.toContain('<img')
  expect(alone).toContain('>Northwind &lt;&amp;&gt;</p>')
})

test('the subject is the heading of a mail, without the company name, and the greeting follows', () => {
  const { html, text, subject } = renderMail(words(), frameOf({ ...northwind, name: 'Northwind' }, 'https://id.example'))
  expect(subject).toBe('New sign-in · Northwind')
  expect(html).toMatch(
    /<h1 [^>]*>New sign-in<\/h1>\s*<p class="text"[^>]*>Hello<\/p>\s*<p class="text"[^>]*>Somewhere new\.<\/p>/,
  )
  expect(text).toContain('Northwind\n\nNew sign-in\n\nHello\n\nSomewhere new.')
})

test('a mail has the background, borders and corners of the brand', () => {
  const frame = frameOf({ ...northwind, radius: 'round' }, 'https://id.example')
  const { html } = renderMail(words(), frame)
  const { light, dark } = paletteOf('#ffd400')
  expect(html).toContain(`<body class="page" style="margin:0;padding:0;background:${light['ground']}">`)
  expect(html).toContain(`border:1px solid ${light['line']};border-radius:28px`)
  expect(html).toMatch(/class="button"[^>]*border-radius:23px/)
  expect(html).toContain(`.page { background: ${dark['ground']} !important; }`)
  const sharp = renderMail(words(), frameOf({ ...northwind, radius: 'sharp' }, 'https://id.example')).html
  expect(sharp).toMatch(/class="button"[^>]*border-radius:2px/)
  const readable = ({ ground, surface, ink, inkSoft, inkFaint }: (typeof frame.grounds)['light']) =>
    [ground, surface].every((under) => [ink, inkSoft, inkFaint].every((color) => contrastOf(under, color) >= 4.5))
  for (const brand of [plainBrand, northwind]) {
    const { light, dark } = frameOf(brand, 'https://id.example').grounds
    expect([readable(light), readable(dark)]).toEqual([true, true])
  }
})

test('the HTML part of a mail shows a link without its token and parameters, and the text part shows the full link', () => {
  const token = 'x'.repeat(43)
  const shown = (url: string) =>
    />([^<]*)<\/a><\/p>/.exec(renderMail({ ...words(), action: { label: 'Look', url } }, plain).html)?.[1]
  const long = `https://id.example/reset-password/${token}?callbackURL=%2Faccount`
  expect(shown(long)).toBe('id.example/reset-password/…')
  expect(shown('https://id.example/verify-email?token=x')).toBe('id.example/verify-email/…')
  expect(shown('https://id.example/account')).toBe('id.example/account')
  const { html, text } = renderMail({ ...words(), action: { label: 'Look', url: long } }, plain)
  expect(text).toContain(long)
  expect(html.replaceAll(/href="[^"]*"/g, '')).not.toContain(token)
})

test('the logos are attached to the mail, and only the name is shown if a logo has been deleted', async () => {
  const png = Buffer.from('89504e470d0a1a0a', 'hex')
  const frame = frameOf(northwind, 'http://id.example')
  const packed = await createPacker({ read: async () => ({ mediaType: 'image/png', bytes: png }) })(frame)
  const directory = mkdtempSync(join(tmpdir(), 'mails-'))
  const session = await fileTransport(directory, { name: 'Northwind', address: 'no-reply@id.example' }, createLog('silent'))()
  const mail = { id: 'a'.repeat(32), kind: 'test', createdAt: new Date(0), to: { name: '', address: 'ann@example.com' } }
  await session.send({ ...mail, content: words(), packed })
  const raw = readFileSync(join(directory, readdirSync(directory)[0] ?? ''), 'utf8')
  expect(raw).toMatch(/multipart\/alternative.*text\/plain.*multipart\/related.*text\/html/s)
  expect(raw).toMatch(/Content-Id: <logo>/i)
  expect(raw).toMatch(/Content-Id: <logo-dark>/i)
  expect(renderMail(words(), packed.frame).html).toMatch(/src="cid:logo" .*src="cid:logo-dark"/s)
  const gone = await createPacker({ read: () => Promise.reject(coreErrors.error('NOT_FOUND')) })(frame)
  expect([gone.frame.logo, gone.images]).toEqual([null, []])
  await expect(createPacker({ read: () => Promise.reject(new Error('no database')) })(frame)).rejects.toThrow('no database')
})

test('both parts of a mail have the same content: name, text, facts as rows, link, sender, reason, and help', () => {
  for (const language of locales) {
    const { html, text } = renderMail(words(language), frameOf({ ...northwind, name: 'Northwind' }, 'https://id.example'))
    const shown = [
      ...['Northwind', 'Hello', 'Somewhere new.', 'More.', 'Device', 'Firefox on Linux', 'Time', '1 May', 'Look', 'Foot.'],
      ...['https://id.example/account', 'id.example', 'mailto:help@northwind.example', 'https://northwind.example/privacy'],
    ]
    for (const part of shown) for (const written of [html, text]) expect(written).toContain(part)
    expect(text).toContain('Device: Firefox on Linux\nTime: 1 May')
    expect(html.match(/<tr><th [^>]*scope="row"/g)).toHaveLength(2)
    // No placeholder is left, and the footer is a sentence with both names.
    expect(text).not.toMatch(/[{}]/)
    expect(text.split('-- ')[1]).toMatch(/Northwind.*id\.example|id\.example.*Northwind/)
  }
})

test('mail clients preview the facts or the last words after the subject, without repeating the subject or the code', () => {
  const hiddenIn = (content: Parameters<typeof renderMail>[0]) =>
    /<body[^>]*>\s*<div style="display:none[^>]*>(.*?)<\/div>/
      .exec(renderMail(content, plain).html)?.[1]
      ?.replace(/&#847;&zwnj;&nbsp;/g, '')
  expect(hiddenIn({ ...words(), code: '123456' })).toBe('Firefox on Linux · 1 May')
  expect(hiddenIn({ ...words(), facts: [] })).toBe('Foot.')
})

test('the subject of a mail contains the company name, if there is one, and stays within its length', () => {
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

test('the button of a mail has the colour of the brand and is readable, whatever the colour', () => {
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

test('a greeting contains a name only if the name cannot be read as a message', () => {
  const heading = (name: string) => verificationMail({ name, language: null }, 'https://x.example', 3600).heading
  for (const name of ['Ann', "O'Neill", 'Dr. Ann Example', 'Renée', '李雷']) expect(heading(name)).toBe(`Hello ${name}`)
  for (const name of [
    ...['Win at https://evil.example', 'evil.example', 'a@b.example', 'x'.repeat(61), ''],
    // A paragraph of its own, text in the other direction, and letters that look like a full stop.
    ...['Ann\n\nYou have won', 'Ann\u2028You have won', 'Ann\u202Enna', 'evil\uFF0Eexample', 'evil\u2024example'],
    // Invisible characters, too many marks on a letter, a number to call, an amount.
    ...['\u3164', '\u2800', 'Ann\u200B', `A${'\u0301'.repeat(9)}nn`, 'Call 0900 123 456', 'Win $1000', 'x'.repeat(41)],
  ])
    expect(heading(name)).toBe('Hello')
})

test('an invitation mail names inviter and organization only if their names contain no message, in the requested language', () => {
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

test('an invitation mail shows a small logo of the organization only if this server serves the logo over TLS', () => {
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
])('the sender of mails must be one mailbox: %j', (text, mailbox) => {
  expect(parseMailbox(text)).toEqual(mailbox)
})

test('an unknown text of a mail and a wrong parameter do not compile', () => {
  const say = sayIn<'organizations'>(texts('organizations')('en'))
  expect([
    // @ts-expect-error: the text contains the name of the reader.
    say('helloName'),
    // @ts-expect-error: the parameter has another name.
    say('helloName', { called: 'Ann' }),
    // @ts-expect-error: the text has no parameter.
    say('hello', { name: 'Ann' }),
  ]).toEqual(['Hello ', 'Hello ', 'Hello'])
  // @ts-expect-error: there is no such text.
  expect(() => say('helo')).toThrow()
})
