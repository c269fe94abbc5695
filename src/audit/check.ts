import { type Check, defineFindings } from '../core/checks.ts'
import type { Db } from '../core/db/database.ts'
import type { Chain } from '../core/events/chain.ts'
import { findHead } from '../core/events/chain-store.ts'
import { listReaders } from '../core/events/readers.ts'
import type { Remedies } from '../core/remedies.ts'
import { compareFileIfAny } from './copies/compare.ts'
import type { Audit } from './service.ts'

const readerFindings = defineFindings({
  'event-reader-fails': {
    message: 'The reader {name} has failed {failures} times since {since} and is {lag} events behind: {why}',
    remedy: 'mend what its message names; it goes on by itself',
  },
})

const sealingFindings = defineFindings({
  'event-chain-unsealed': {
    message: 'This node seals no events: it does not have the master secret with which the chain of events is sealed.',
    remedy: 'give every node the same list of secrets: GATEHOUSE_SECRET, newest first',
  },
})

const copyFindings = defineFindings({
  'event-copy-differs': {
    message:
      '{copy} has an event at position {position} that the chain, which ends at {head}, does not have or has otherwise: events were changed or removed in the database, or the database was set back',
    remedy: '{command} says more; after a restore of your own rename the file of the copy',
  },
})

/** How many bytes at the end of a copy are compared every few minutes. The command `verify-audit` compares the whole copy. */
const tailBytes = 256 * 1024

interface CopyDeps {
  readonly db: Db
  readonly file: string | undefined
  readonly copyNames: readonly string[]
  readonly remedies: Pick<Remedies, 'verifyAudit'>
}

/**
 * Compares the chain of audit events with the end of the copy in a file, and with the stored positions of the other copies. If an
 * attacker has also reset these positions, only the file reveals it.
 */
export const copyCheck = ({ db, file, copyNames, remedies }: CopyDeps): Check => ({
  name: 'event-copies',
  texts: copyFindings.texts,
  run: async () => {
    const command = remedies.verifyAudit()
    const found = (copy: string, position: number, head: number) =>
      copyFindings.found('failed', 'event-copy-differs', { copy, position, head, command })
    const inFile = file === undefined ? undefined : await compareFileIfAny(db, file, tailBytes)
    if (file !== undefined && inFile?.first !== undefined) return [found(file, inFile.first.position, inFile.head)]
    const readers = await listReaders(db, copyNames)
    // The head of the chain is read after the positions of the readers. If a position is nevertheless beyond the head, the chain was
    // reset.
    const head = (await findHead(db))?.position ?? 0
    return readers.flatMap(({ name, position }) => (position > head ? [found(name, position, head)] : []))
  },
})

/** Finds readers of audit events that fail. No event is lost, because a reader later continues at the event that failed. */
export const readerCheck = (audit: Pick<Audit, 'readers'>): Check => ({
  name: 'event-readers',
  texts: readerFindings.texts,
  run: async () =>
    (await audit.readers()).flatMap(({ name, failingSince, failures, lastError, lag }) =>
      failingSince === null
        ? []
        : [
            readerFindings.found('warning', 'event-reader-fails', {
              ...{ name, failures, since: failingSince.toISOString(), lag, why: lastError ?? '' },
            }),
          ],
    ),
})

/** Finds out whether a node lacks the newest master secret. Such a node cannot seal events. */
export const sealingCheck = (chain: Pick<Chain, 'lacksSecret'>): Check => ({
  name: 'event-chain',
  texts: sealingFindings.texts,
  run: async () => ((await chain.lacksSecret()) ? [sealingFindings.found('failed', 'event-chain-unsealed')] : []),
})
