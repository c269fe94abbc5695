/** How far a setup step is. */
export interface SetupStepFact {
  readonly isDone: boolean
  /** Id of the resource that the step is about, such as the application to test. */
  readonly subject?: string
}

/** A step of setting up an empty instance. Features list their steps in their registration; the console shows them. */
export interface SetupStep {
  /** For example `brand` or `test-sign-in`: lower case with dashes. */
  readonly name: string
  /** Configuration keys that the step sets. The console cannot change keys that file, environment or an option sets. */
  readonly keys: readonly string[]
  /** Finds out how far the step is. It must read only by indexes. */
  look(): Promise<SetupStepFact>
}
