import type { Db } from './db/database.ts'

/** The user whose data is read. */
export interface DataOwner {
  readonly id: string
  /** Undefined for an unverified address: mails to it may be meant for another person. */
  readonly verifiedEmail: string | undefined
}

/** A part of the data of a user in the download of the user: without secrets, and without data about other people. */
export interface PersonalData {
  /** Its key in the file. */
  readonly name: string
  /** The tables that the part contains. */
  readonly tables: readonly string[]
  /** In pages, so that no part is too long for memory. */
  read(db: Db, owner: DataOwner): AsyncIterable<Readonly<Record<string, unknown>>>
}

/** A table that names users without being in a part. */
export interface WithheldData {
  readonly table: string
  /** The reason, for people. */
  readonly why: string
}
