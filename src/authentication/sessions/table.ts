import { listOf, objectWith } from '../../core/stored-json.ts'

/** A proof as a session stores it: a sign-in method that has succeeded. Earlier versions stored only the method's name and the time. */
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

/** Reads the stored proofs of a session or of a pending sign-in. */
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
