import { crc32 } from 'node:zlib'
import type { KeyOwnerKind } from '../access/key-permissions.ts'
import type { Random } from '../core/random.ts'

/** Words in keys, by the kind of owner. */
const words: Readonly<Record<KeyOwnerKind, string>> = { user: 'user', organization: 'org', instance: 'instance' }

/** Length of an id. The id is part of the key, so that the finder of a leaked key can name it without showing it. */
const idLength = 16
/** 43 characters of 62 carry 256 bits. */
const secretLength = 43

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** CRC-32 as six characters of base 62: a scanner tells a key from similar text without a request. */
const checksumOf = (text: string): string => {
  let rest = crc32(text)
  let out = ''
  for (let i = 0; i < 6; i += 1) {
    out = `${letters[rest % 62] ?? ''}${out}`
    rest = Math.floor(rest / 62)
  }
  return out
}

/** The id of a new key. */
export const newKeyId = (random: Random): string => random.token(idLength)

/** The readable beginning of a key, `gh_org_<id>`: it identifies the key and gives no access. */
export const prefixOf = (owner: KeyOwnerKind, id: string): string => `gh_${words[owner]}_${id}`

/** The text of a new key: prefix, secret of 256 bits, checksum. It is shown once. */
export const newKeyText = (random: Random, owner: KeyOwnerKind, id: string): string => {
  const text = `${prefixOf(owner, id)}_${random.token(secretLength)}`
  return text + checksumOf(text)
}

const pattern = /^gh_(?:user|org|instance)_[A-Za-z0-9]{16}_[A-Za-z0-9]{49}$/

/** True for text in the form of a key with a right checksum. Other text is refused without a read from the database. */
export const isKeyText = (text: string): boolean => pattern.test(text) && checksumOf(text.slice(0, -6)) === text.slice(-6)
