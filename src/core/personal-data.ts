import type { Db } from './db/database.ts'

/** The user whose data is read. */
export interface DataOwner {
  readonly id: string
  /** Undefined while it is not verified: mails to an unverified address may be meant for another person. */
  readonly verifiedEmail: string | undefined
}

/** A part of the data of a user in the download of the user: without secrets, and without data about other people. */
export interface PersonalData {
  /** Its key in the file. */
  readonly name: string
  /** The tables it is read from. */
  readonly tables: readonly string[]
  /** In pages: no part is too long to be read. */
  read(db: Db, owner: DataOwner): AsyncIterable<Readonly<Record<string, unknown>>>
}

/** A table that names users and is in no part. */
export interface WithheldData {
  readonly table: string
  /** As a person may read it. */
  readonly why: string
}
