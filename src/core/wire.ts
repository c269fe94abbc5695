import { z } from 'zod'
import { domainToAscii } from './idna.ts'
import { isPictureUrl } from './web.ts'

/** A point in time. On the wire it is ISO 8601 text with milliseconds and `Z`; in the program it is a `Date` (wire behaviour, section 1). */
export const instant = z.codec(z.iso.datetime({ offset: true }), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString(),
})

/** True for text that cannot be stored or logged, because it contains U+0000 or a lone surrogate. */
export const isBroken = (text: string) => text.includes('\u0000') || !text.isWellFormed()

/** Text that a caller sends: `min` to `max` characters, without U+0000 and lone surrogates. */
export const plainText = (max: number, min = 0) =>
  z
    .string()
    .min(min)
    .max(max)
    .refine((text) => !isBroken(text), 'must not contain U+0000 or lone surrogates')

/**
 * A resource that an answer mentions, with its name. The name is null if the resource was deleted, or if the reader has no permission to
 * see the name.
 */
export const Named = z.object({ kind: z.string(), id: z.string().nullable(), name: z.string().nullable() }).meta({ id: 'Named' })

/** The organization that a query or body names, by id or slug. */
export const organizationName = plainText(64, 1).describe('Id or slug of the organization.')

/** Matches characters that end a line, control a terminal, or change the direction of the surrounding text. */
const unwritable = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/u
/** Matches a visible character. Blanks, marks and fillers are not visible. U+2800 is an empty Braille pattern. */
const visible = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{C}\p{M}\u2800]/u

/**
 * Matches more combining marks on one character than real names have. Stacked marks would cover the lines above and below, even if there
 * are joiners between the marks.
 */
const piledMarks = /((?:[\p{Mn}\p{Me}]\p{Cf}*){8})(?:[\p{Mn}\p{Me}]\p{Cf}*)+/u

/** Text on one line, with 1 to `max` characters, at least one of them visible. */
export const lineInput = (max: number) =>
  plainText(max, 1)
    .refine((text) => !unwritable.test(text), 'must not contain control characters, line breaks or direction overrides')
    .refine((text) => text === '' || unwritable.test(text) || visible.test(text), 'must not be blank')
    .refine((text) => !piledMarks.test(text), 'must not have more than 8 combining marks on one character')

/** The name of a user, organization, team, application or device: one line with at most 200 characters, at least one of them visible. */
export const nameInput = lineInput(200)

/**
 * Makes a valid name from any text. Forbidden characters become blanks, and stacked marks are removed. Undefined if no visible character
 * is left.
 */
export const nameFrom = (text: string): string | undefined => {
  const plain = text.split(unwritable).join(' ').replace(new RegExp(piledMarks, 'gu'), '$1')
  const name = plain.trim().slice(0, 200).toWellFormed()
  return visible.test(name) ? name : undefined
}

/** An email address as it was typed, of any length. The service checks it with `parseEmail`, so that the answer is "Invalid email". */
export const emailInput = z.string().meta({ format: 'email' })

/** A password as it was typed. It may be as long as a body allows. The service checks it, so that the answer is "Password too long". */
export const passwordInput = z.string().refine((text) => !isBroken(text), 'must not contain U+0000 or lone surrogates')

/** A URL to which the browser is sent after success, after an error, or after signing up. `http/trusted-url.ts` checks whether it is trusted. */
export const urlInput = plainText(2048).meta({ format: 'uri-reference' })

/** The URL of a picture or logo (security baseline, section 5). */
export const pictureInput = plainText(2048)
  .refine(isPictureUrl, 'an https address without blanks, quotes and control characters')
  .overwrite((text) => (isPictureUrl(text) ? new URL(text).href : text))
  .meta({ format: 'uri' })

/** A colour as six hexadecimal digits. It is converted to lower case. */
export const colorInput = z
  .string()
  .max(7)
  .toLowerCase()
  .regex(/^#[0-9a-f]{6}$/, 'a colour such as #0d5c4c')

const emailSyntax = z.email({ pattern: z.regexes.html5Email })

/**
 * The form in which an email address is stored: in lower case, and with the domain in ASCII (RFC 5891). So all spellings of a domain lead
 * to one account. Undefined for an invalid address (accounts specification, section 5: "Email must be valid"). `readableAddresses` makes
 * the form for people.
 */
export const parseEmail = (text: string): string | undefined => {
  if (text.length > 320) return undefined
  const typed = text.trim()
  const at = typed.lastIndexOf('@') + 1
  const domain = domainToAscii(typed.slice(at))
  // The address is checked before it is converted to lower case. Otherwise invalid letters, such as the Kelvin sign, would become letters
  // of another person's address.
  const parsed = emailSyntax.safeParse(`${typed.slice(0, at)}${domain}`)
  return domain !== undefined && parsed.success && parsed.data.length <= 254 ? parsed.data.toLowerCase() : undefined
}
