import { generateURI, ScureBase32Plugin, verifySync } from 'otplib'

/** RFC 6238 as every authenticator app knows it: SHA-1, 6 digits, a new code every 30 seconds. */
const stepSeconds = 30
/** When a step began: about when its code was used. */
export const timeOfStep = (step: number): Date => new Date(step * stepSeconds * 1000)

/** Bytes of a secret: the length of the hash (RFC 4226, section 4). */
export const secretLength = 20

const base32 = new ScureBase32Plugin()

/** The secret as a person types it: 32 letters and digits. */
export const secretOf = (bytes: Uint8Array): string => base32.encode(bytes, { padding: false })

/** Of the issuer, in the URI: with it twice and a long address a telephone still reads the QR code. */
const longestIssuer = 240

/** The issuer as the Key URI takes it: a colon would end it, and what is too long is cut between two characters. */
const issuerOf = (name: string): string => {
  const plain = name
    .split(':')
    .map((part) => part.trim())
    .join(' ')
    .trim()
  const cut = [...new Intl.Segmenter().segment(plain)].map(({ segment }) => segment)
  while (encodeURIComponent(cut.join('')).length > longestIssuer) cut.pop()
  return cut.join('').trim() || 'gatehouse'
}

/** What the QR code says: `otpauth://totp/<issuer>:<account>?secret=…&issuer=…`. */
export const keyUri = (secret: string, issuer: string, account: string): string =>
  generateURI({ secret, issuer: issuerOf(issuer), label: account, algorithm: 'sha1', digits: 6, period: stepSeconds })

/**
 * The step of a right code at `now`, of the one before or of the next; undefined for a wrong code and for a step that is not after `lastStep`,
 * the last one used. Blanks in the code do not count.
 */
export const stepOf = (secret: string, code: string, now: Date, lastStep: number | null): number | undefined => {
  const token = code.replaceAll(/\s/g, '')
  const epoch = Math.floor(now.getTime() / 1000)
  // The library throws for a last step ahead of the window, which a clock that was set back leaves.
  if (!/^\d{6}$/.test(token) || (lastStep ?? 0) > Math.floor(epoch / stepSeconds)) return undefined
  const after = lastStep === null ? {} : { afterTimeStep: lastStep }
  const result = verifySync({ secret, token, epoch, epochTolerance: stepSeconds, period: stepSeconds, ...after })
  return result.valid && 'timeStep' in result ? result.timeStep : undefined
}
