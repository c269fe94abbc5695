import { crc32 } from 'node:zlib'
import type { KeyOwnerKind } from '../access/key-permissions.ts'
import type { Random } from '../core/random.ts'

/** The word for each kind of owner in the text of a key. */
const words: Readonly<Record<KeyOwnerKind, string>> = { user: 'user', organization: 'org', instance: 'instance' }

/** Length of the id, which is part of the key's text. The finder of a leaked key can report the id without showing the secret. */
const idLength = 16
/** 43 characters from an alphabet of 62 have 256 bits of entropy. */
const secretLength = 43

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** A CRC-32 as six characters in base 62. Secret scanners use it to recognize a key without a request to the server. */
const checksumOf = (text: string): string => {
  let rest = crc32(text)
  let out = ''
  for (let i = 0; i < 6; i += 1) {
    out = `${letters[rest % 62] ?? ''}${out}`
    rest = Math.floor(rest / 62)
  }
  return out
}

/** Returns the id for a new key. */
export const newKeyId = (random: Random): string => random.token(idLength)

/** The readable start of a key, such as `gh_org_<id>`. It identifies the key and gives no access. */
export const prefixOf = (owner: KeyOwnerKind, id: string): string => `gh_${words[owner]}_${id}`

/** Returns the text of a new key: prefix, secret of 256 bits, checksum. The text is shown once. */
export const newKeyText = (random: Random, owner: KeyOwnerKind, id: string): string => {
  const text = `${prefixOf(owner, id)}_${random.token(secretLength)}`
  return text + checksumOf(text)
}

const pattern = /^gh_(?:user|org|instance)_[A-Za-z0-9]{16}_[A-Za-z0-9]{49}$/

/** True for text in the form of a key with a correct checksum. Other text is refused without reading the database. */
export const isKeyText = (text: string): boolean => pattern.test(text) && checksumOf(text.slice(0, -6)) === text.slice(-6)
