import { crc32 } from 'node:zlib'
import type { KeyOwnerKind } from '../access/key-permissions.ts'
import type { Random } from '../core/random.ts'

/** For each kind of owner, the word in the text of an API key. */
const words: Readonly<Record<KeyOwnerKind, string>> = { user: 'user', organization: 'org', instance: 'instance' }

/** Length of the id in the text of an API key. Whoever finds a leaked key can report this id without revealing the secret. */
const idLength = 16
/** Length of the secret. 43 characters from an alphabet of 62 have 256 bits of randomness. */
const secretLength = 43

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** The CRC-32 of a text, as six characters in base 62. With it, programs that scan for secrets recognise an API key without asking the server. */
const checksumOf = (text: string): string => {
  let rest = crc32(text)
  let out = ''
  for (let i = 0; i < 6; i += 1) {
    out = `${letters[rest % 62] ?? ''}${out}`
    rest = Math.floor(rest / 62)
  }
  return out
}

/** Makes the id of a new API key. */
export const newKeyId = (random: Random): string => random.token(idLength)

/** The readable beginning of an API key, such as `gh_org_<id>`. It identifies the key and gives no access. */
export const prefixOf = (owner: KeyOwnerKind, id: string): string => `gh_${words[owner]}_${id}`

/** Makes the text of a new API key from prefix, secret and checksum. The text is shown only once. */
export const newKeyText = (random: Random, owner: KeyOwnerKind, id: string): string => {
  const text = `${prefixOf(owner, id)}_${random.token(secretLength)}`
  return text + checksumOf(text)
}

const pattern = /^gh_(?:user|org|instance)_[A-Za-z0-9]{16}_[A-Za-z0-9]{49}$/

/** True for text that has the form of an API key and a right checksum. Other text is refused without a read of the database. */
export const isKeyText = (text: string): boolean => pattern.test(text) && checksumOf(text.slice(0, -6)) === text.slice(-6)
