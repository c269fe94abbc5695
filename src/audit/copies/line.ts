import type { RecordedEvent } from '../../core/events/record.ts'

/** An event as all copies contain it: the columns of the export, and the position and hash in the chain. */
export const copied = (event: RecordedEvent, position: number, hash: string) => ({ ...event, position, hash })
