import type { Db } from './db/database.ts'

/** The user whose data is read. */
export interface DataOwner {
  readonly id: string
  /** Undefined if the address is not verified. Mails to it may be meant for another person. */
  readonly verifiedEmail: string | undefined
}

/** A part of the data that a user can download. It contains no secrets and no data about other people. */
export interface PersonalData {
  /** The key of the part in the downloaded file. */
  readonly name: string
  /** The tables that the part contains. */
  readonly tables: readonly string[]
  /** Reads the part in pages, so that it always fits into memory. */
  read(db: Db, owner: DataOwner): AsyncIterable<Readonly<Record<string, unknown>>>
}

/** A table that names users although no part contains it. */
export interface WithheldData {
  readonly table: string
  /** The reason, as a sentence for people. */
  readonly why: string
}
