import { listOf, objectWith } from '../../core/stored-json.ts'

/** A method that has succeeded. Sessions of earlier versions store only its name and time. */
export interface StoredProof {
  readonly method: string
  /** The time in ISO 8601. */
  readonly at: string
  readonly amr?: readonly string[]
  readonly factors?: readonly string[]
  readonly isPhishingResistant?: boolean
  readonly raisesNoAcr?: boolean
  readonly isNew?: boolean
  readonly provider?: string
}

/** Reads the proofs of a session, or of a pending sign-in (`attempts`) that may become a session. */
export const storedProofs = () =>
  listOf(
    objectWith<StoredProof>(
      { method: 'text', at: 'text' },
      {
        ...{ amr: 'list', factors: 'list', provider: 'text' },
        ...{ isPhishingResistant: 'boolean', raisesNoAcr: 'boolean', isNew: 'boolean' },
      },
    ),
  )
