/**
 * Does nothing by itself. Whenever a migration runs on PostgreSQL, text columns get the collation by code points
 * (`src/core/db/collation.ts`).
 */
export const up = async (): Promise<void> => undefined

export const down = up
