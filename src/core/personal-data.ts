import type { Db } from './db/database.ts'

/** Whose data is read. */
export interface DataOwner {
  readonly id: string
  /** Undefined while it is not verified: what was sent to it may be meant for somebody else. */
  readonly verifiedEmail: string | undefined
}

/** A part of what an instance keeps about a user, as its owner downloads it: without secrets, and without what is about somebody else. */
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
