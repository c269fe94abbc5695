/** How many values of a column are sealed with one master secret. */
export interface SealedCount {
  /** The column, written as `table.column`. */
  readonly column: string
  /** Id of the master secret. */
  readonly secret: string
  /**
   * `newest`: this master secret seals new values. `older`: it only opens existing ones. `unknown`: it is not configured, so its values
   * cannot be opened.
   */
  readonly state: 'newest' | 'older' | 'unknown'
  readonly count: number
}

export const nameOf = ({ column, count }: SealedCount): string => `${column} (${count} ${count === 1 ? 'value' : 'values'})`
