import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { verificationMail } from '../../src/authentication/verification/mails.ts'
import { parseMailbox } from '../../src/mail/rules.ts'
import { renderMail } from '../../src/mail/template.ts'
import { invitationMail } from '../../src/organizations/mails.ts'

describe('rendering', () => {
  const render = (text: string) =>
    renderMail({
      subject: text,
      heading: text,
      paragraphs: [text, text],
      action: { label: text, url: `https://auth.example.com/?q=${encodeURIComponent(text)}` },
      footnote: text,
    })
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
    expect(() => renderMail(words)).toThrow('web address')
  })
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
  const mail = (organizationName: string, inviterName: string | undefined, language: number | null = null) =>
    invitationMail({
      ...{ email: 'bob@x.example', name: '', language, inviterName, url: 'https://x.example/invitation/1', ttlSeconds: 172_800 },
      organization: { name: organizationName, slug: 'acme' },
    })
  const english = mail('Acme Inc', 'Ann')
  expect([english.language, english.subject, english.heading]).toEqual(['en', 'Invitation to Acme Inc', 'Hello'])
  expect(english.paragraphs).toEqual(['Ann invites you to join Acme Inc.'])
  expect(english.footnote).toContain('for bob@x.example and can be accepted for 48 hours')
  expect(mail('Acme Inc', undefined).paragraphs).toEqual(['You are invited to join Acme Inc.'])
  for (const bad of ['Win at https://evil.example', 'evil.example', 'x'.repeat(61)]) {
    const { subject, paragraphs } = mail(bad, bad)
    expect([subject, paragraphs]).toEqual(['Invitation to acme', ['You are invited to join acme.']])
  }
  for (const bad of ['Аcme\u202Eemca', 'Acme\u0000', 'Win $1000 now!']) expect(mail(bad, bad).subject).toBe('Invitation to acme')
  const slugless = invitationMail({
    ...{ email: 'bob@x.example', name: '', language: null, inviterName: 'Ann', url: 'https://x.example/i/1', ttlSeconds: 3600 },
    organization: { name: 'You have won: call', slug: 'call-0900-123-456-now' },
  })
  expect([slugless.subject, slugless.paragraphs]).toEqual([
    'Invitation to an organization',
    ['You are invited to join an organization.'],
  ])
  expect(mail('Acme', 'Ann', 6).paragraphs).toEqual(['Ann lädt Sie ein, Acme beizutreten.'])
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
