import { listOf, objectWith } from '../../core/stored-json.ts'

/** A method that succeeded: of older sessions its name and time alone. */
export interface StoredProof {
  readonly method: string
  /** ISO 8601. */
  readonly at: string
  readonly amr?: readonly string[]
  readonly factors?: readonly string[]
  readonly isPhishingResistant?: boolean
  readonly raisesNoAcr?: boolean
  readonly isNew?: boolean
  readonly provider?: string
}

/** Reads the proofs of a session, and of a sign-in that waits for its next proof (`attempts`) and becomes a session. */
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
