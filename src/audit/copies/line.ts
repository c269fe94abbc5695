import type { RecordedEvent } from '../../core/events/record.ts'

/** An event in the form of every copy: the columns of the export, with its place in the chain. */
export const copied = (event: RecordedEvent, position: number, hash: string) => ({ ...event, position, hash })
