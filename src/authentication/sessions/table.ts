import { listOf, objectWith } from '../../core/stored-json.ts'

/** A successful method; older sessions only have its name and time. */
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

/** Parses the proofs of a session, or of a pending sign-in (`attempts`), which becomes a session. */
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
