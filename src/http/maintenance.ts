/** The answer to every request during a migration of the database: 503. */
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
