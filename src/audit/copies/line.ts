import type { RecordedEvent } from '../../core/events/record.ts'

/** An event as every copy holds it: the columns of the export, with its place in the chain. */
export const copied = (event: RecordedEvent, position: number, hash: string) => ({ ...event, position, hash })
