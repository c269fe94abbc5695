/** While it lasts, the server answers with 503: the database is being migrated. */
export interface Maintenance {
  begin(): void
  end(): void
  isOn(): boolean
}

export const createMaintenance = (): Maintenance => {
  let isOn = false
  return {
    begin: () => {
      isOn = true
    },
    end: () => {
      isOn = false
    },
    isOn: () => isOn,
  }
}
