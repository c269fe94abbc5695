/** The number of a column's values that a secret has sealed. */
export interface SealedCount {
  /** Has the form `table.column`. */
  readonly column: string
  /** Id of the secret. */
  readonly secret: string
  /** `newest`: the secret seals. `older`: it only opens. `unknown`: it is not configured, so nothing opens these values. */
  readonly state: 'newest' | 'older' | 'unknown'
  readonly count: number
}

export const nameOf = ({ column, count }: SealedCount): string => `${column} (${count} ${count === 1 ? 'value' : 'values'})`
