/**
 * An authenticator in software (Web Authentication) with ES256 keys and without attestation. It also builds the answer that a browser
 * would give to a page.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

interface Traits {
  /** True if it asks for a PIN, a fingerprint or a face. */
  userVerified: boolean
  userPresent: boolean
  backupEligible: boolean
  backedUp: boolean
  /** Signature counter of the next signature. If undefined, it does not count and sends 0. */
  counter: number | undefined
  aaguid: string
  /** True if it stores the user of a passkey and sends it with a signature. */
  isDiscoverable: boolean
}

/** The page that makes the request. */
interface PageOptions {
  readonly origin: string
  /** Values that the page sends, if they differ from the options. */
  readonly rpId?: string
  readonly challenge?: string
  readonly crossOrigin?: boolean
}

interface Credential {
  readonly id: string
  readonly userHandle: string
  readonly privateKey: KeyObject
}

const sha256 = (value: string | Buffer) => createHash('sha256').update(value).digest()
const base64url = (value: string | Buffer) => Buffer.from(value).toString('base64url')
const uint16 = (value: number) => {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

/** COSE_Key of a P-256 key: kty 2, alg -7, crv 1, x, y. */
const coseKey = (key: KeyObject) => {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const coordinate = (label: number, value: string) => [Buffer.from([label, 0x58, 0x20]), Buffer.from(value, 'base64url')]
  return Buffer.concat([Buffer.from('a5010203262001', 'hex'), ...coordinate(0x21, x), ...coordinate(0x22, y)])
}

/** `{ fmt: 'none', attStmt: {}, authData }` in CBOR. */
const attestationObject = (authData: Buffer) => {
  const text = (value: string) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])
  const parts = [Buffer.from([0xa3]), text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0]), text('authData')]
  return Buffer.concat([...parts, Buffer.from([0x59]), uint16(authData.length), authData])
}

export interface AskedCreation {
  readonly challenge: string
  readonly rp: { readonly id: string }
  readonly user: { readonly id: string }
  readonly excludeCredentials?: readonly { readonly id: string }[]
}

export interface AskedRequest {
  readonly challenge: string
  readonly rpId: string
  readonly allowCredentials?: readonly { readonly id: string }[] | undefined
}

/** A new authenticator without passkeys. Its traits may be changed between two uses. */
export const createAuthenticator = (given: Partial<Traits> = {}) => {
  const traits: Traits = {
    ...{ userVerified: true, userPresent: true, backupEligible: false, backedUp: false, counter: undefined },
    ...{ aaguid: '00000000-0000-0000-0000-000000000000', isDiscoverable: true },
    ...given,
  }
  const credentials: Credential[] = []

  const clientDataOf = (type: string, challenge: string, { origin, crossOrigin = false, ...page }: PageOptions) =>
    Buffer.from(JSON.stringify({ type, challenge: page.challenge ?? challenge, origin, crossOrigin }))
  const authenticatorData = (rpId: string, attested?: Buffer) => {
    const { userPresent, userVerified, backupEligible, backedUp } = traits
    const flags =
      (userPresent ? 1 : 0) +
      (userVerified ? 4 : 0) +
      (backupEligible ? 8 : 0) +
      (backedUp ? 16 : 0) +
      (attested === undefined ? 0 : 64)
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(traits.counter ?? 0)
    if (traits.counter !== undefined) traits.counter += 1
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), counter, attested ?? Buffer.alloc(0)])
  }

  return {
    traits,
    credentials,
    /** Makes a passkey, as `navigator.credentials.create` does. */
    create: (options: AskedCreation, page: PageOptions) => {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const id = randomBytes(16)
      credentials.push({ id: base64url(id), userHandle: options.user.id, privateKey })
      const aaguid = Buffer.from(traits.aaguid.replaceAll('-', ''), 'hex')
      const attested = Buffer.concat([aaguid, uint16(id.length), id, coseKey(publicKey)])
      const authData = authenticatorData(page.rpId ?? options.rp.id, attested)
      return {
        ...{ id: base64url(id), rawId: base64url(id), type: 'public-key' as const, clientExtensionResults: {} },
        response: {
          clientDataJSON: base64url(clientDataOf('webauthn.create', options.challenge, page)),
          attestationObject: base64url(attestationObject(authData)),
          transports: ['internal'],
        },
      }
    },
    /** Signs, as `navigator.credentials.get` does. It uses the named passkey, or the newest of the allowed passkeys. */
    get: (options: AskedRequest, page: PageOptions, named?: string) => {
      const { allowCredentials: allowed } = options
      const found = credentials.findLast(
        ({ id }) => id === named || (named === undefined && (allowed === undefined || allowed.some((one) => one.id === id))),
      )
      if (found === undefined) throw new Error('the authenticator has no such passkey')
      const clientData = clientDataOf('webauthn.get', options.challenge, page)
      const data = authenticatorData(page.rpId ?? options.rpId)
      const signature = sign('sha256', Buffer.concat([data, sha256(clientData)]), found.privateKey)
      return {
        ...{ id: found.id, rawId: found.id, type: 'public-key' as const, clientExtensionResults: {} },
        response: {
          clientDataJSON: base64url(clientData),
          authenticatorData: base64url(data),
          signature: base64url(signature),
          userHandle: traits.isDiscoverable ? found.userHandle : null,
        },
      }
    },
  }
}

export type Authenticator = ReturnType<typeof createAuthenticator>
