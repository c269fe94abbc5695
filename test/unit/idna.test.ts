import { domainToASCII, domainToUnicode } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { askedTerms, termsOfEmail } from '../../src/core/db/search.ts'
import { readableAddresses } from '../../src/core/idna.ts'
import { formatTable } from '../../src/core/output/table.ts'
import { parseEmail } from '../../src/core/wire.ts'
import { parseMailbox } from '../../src/mail/rules.ts'

describe('the domain of an email address', () => {
  test.each([
    ['jorg@exämple.de', 'jorg@xn--exmple-cua.de'],
    ['Jorg@EXÄMPLE.DE', 'jorg@xn--exmple-cua.de'],
    ['jorg@exa\u0308mple.de', 'jorg@xn--exmple-cua.de'],
    ['jorg@XN--EXMPLE-CUA.de', 'jorg@xn--exmple-cua.de'],
    ['ann@faß.de', 'ann@xn--fa-hia.de'],
    ['taro@例え。jp', 'taro@xn--r8jz45g.jp'],
    ['ann@mail.ελλάδα.gr', 'ann@mail.xn--hxakic4aa.gr'],
    ['ali@مثال.إختبار', 'ali@xn--mgbh0fb.xn--kgbechtv'],
    ['Ann.Lee+x@example.com', 'ann.lee+x@example.com'],
  ])('the domain of an email address is stored in one form for each of its spellings: %s', (written, stored) =>
    expect(parseEmail(written)).toBe(stored),
  )

  test.each([
    ['a letter that is normalized to an ASCII one', 'kate@\u212A.example'],
    ['full-width letters', 'ann@ｅxample.com'],
    ['a ligature', 'ann@ﬃce.example'],
    ['a number that is normalized to an IP address', 'ann@１２７.1'],
    ['a port', 'ann@exämple.de:25'],
    ['a path', 'ann@exämple.de/x'],
    ['a percent sign', 'ann@ex%41mple.é'],
    ['a query', 'ann@exämple.de?x'],
    ['a full-width question mark', 'ann@exämple.de？x'],
    ['an empty label', 'ann@exämple..de'],
    ['a trailing dot', 'ann@exämple.de.'],
    ['too long a label', `ann@${'é'.repeat(70)}.de`],
    ['an invisible joiner', 'ann@a\u200dä.de'],
    ['a local part outside of ASCII', 'jörg@exämple.de'],
    ['nothing', '@exämple.de'],
  ])('an email address is refused with %s', (_, text) => expect(parseEmail(text)).toBeUndefined())

  test('the sender and the mailbox of mails accept an internationalized domain', () => {
    expect(parseMailbox('Jörg <no-reply@exämple.de>')).toEqual({ name: 'Jörg', address: 'no-reply@xn--exmple-cua.de' })
  })

  test('an email address is found by both spellings of its domain, by its beginning and by its words', () => {
    const terms = termsOfEmail('jorg@xn--exmple-cua.de')
    const finds = (search: string) => askedTerms(search).every((asked) => terms.some((term) => term.startsWith(asked)))
    for (const search of ['jorg@exämple.de', '@exämp', 'exämple', 'example', 'jorg@xn--exmple-cua.de', '@XN--EXMPLE', 'jorg'])
      expect(finds(search), search).toBe(true)
    for (const search of ['@example', 'jorg@exemple.de']) expect(finds(search), search).toBe(false)
  })
})

describe('readable addresses', () => {
  test('domains are shown in their own letters, anywhere in a text', () => {
    expect(readableAddresses('jorg@xn--exmple-cua.de')).toBe('jorg@exämple.de')
    expect(readableAddresses('From jorg@xn--exmple-cua.de, to <a@mail.xn--hxakic4aa.gr>.')).toBe(
      'From jorg@exämple.de, to <a@mail.ελλάδα.gr>.',
    )
    expect(readableAddresses('taro@xn--r8jz45g.jp')).toBe('taro@例え.jp')
    expect(formatTable([{ email: 'jorg@xn--exmple-cua.de' }])).toContain('jorg@exämple.de')
  })

  test.each([
    ['letters of two scripts in one label', `ann@${domainToASCII('pаypal.com')}`],
    ['a label of Cyrillic letters that all look like Latin ones', `ann@${domainToASCII('аррӏе.com')}`],
    ['a label that is not valid Punycode', 'ann@xn--zz---.de'],
    ['a label that decodes to another spelling', 'ann@xn--a.de'],
    ['a URL, whose host is not that of an address', 'https://xn--exmple-cua.de/x?y=ann@example.com'],
  ])('a domain with %s is shown in ASCII', (_, text) => expect(readableAddresses(text)).toBe(text))

  test('every accepted domain converts back to the same account, and is shown in letters exactly as Node shows it', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'aäöüßéñç0-9ελдж例えक'), minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(letters, (label) => {
        const stored = parseEmail(`ann@${label}.example`)
        if (stored === undefined) return
        const shown = readableAddresses(stored)
        expect(parseEmail(shown)).toBe(stored)
        if (shown !== stored) expect(shown).toBe(`ann@${domainToUnicode(stored.slice(4))}`)
      }),
    )
  })
})
