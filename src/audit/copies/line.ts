import type { RecordedEvent } from '../../core/events/record.ts'

/** An event as every copy contains it: the columns of the export, and its place in the chain. */
export const copied = (event: RecordedEvent, position: number, hash: string) => ({ ...event, position, hash })
