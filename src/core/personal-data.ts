import type { Db } from './db/database.ts'

/** The user whose data is read. */
export interface DataOwner {
  readonly id: string
  /**
   * The email address, if the user has verified it. Undefined otherwise: mails to an address that is not verified may be meant for
   * another person.
   */
  readonly verifiedEmail: string | undefined
}

/** One part of the data that a user can download. It must not contain secrets, or data about other people. */
export interface PersonalData {
  /** The name of this part in the downloaded file. */
  readonly name: string
  /** The names of the tables whose rows this part contains. */
  readonly tables: readonly string[]
  /** Reads this part in pages, so that memory is enough for any amount of data. */
  read(db: Db, owner: DataOwner): AsyncIterable<Readonly<Record<string, unknown>>>
}

/** A table that contains ids of users, but belongs to no part of the download. */
export interface WithheldData {
  readonly table: string
  /** Why the table is not part of the download, as a sentence for people. */
  readonly why: string
}
