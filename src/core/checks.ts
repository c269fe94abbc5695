/** How much a finding matters: `failed` keeps gatehouse from working, `warning` will hurt, `notice` is worth knowing. */
export const severities = ['ok', 'notice', 'warning', 'failed'] as const
export type Severity = (typeof severities)[number]

/** One thing that needs a person. */
export interface Finding {
  readonly severity: Exclude<Severity, 'ok'>
  /** What is so, in one sentence. */
  readonly message: string
  /** What to do: a command, or a key of the configuration. */
  readonly remedy: string
}

/** Looks at one thing that may need a person. A feature lists its checks where it registers; `doctor` and the admin API run them. */
export interface Check {
  /** `mail`, `signing-keys`: small letters with dashes. */
  readonly name: string
  /** True when it asks a service elsewhere: it runs when a person asks, not every few minutes by itself. */
  readonly asksElsewhere?: boolean
  /** What needs a person; empty when nothing does. It reads what an index answers. */
  run(): Promise<readonly Finding[]>
}

/** A check by name with what it found; `ok` stands for nothing. */
export interface CheckResult {
  readonly check: string
  readonly severity: Severity
  readonly message: string
  readonly remedy: string | null
}

/** Runs the checks one after the other. One that throws is a finding itself: the others still run. */
export const runChecks = async (checks: readonly Check[]): Promise<CheckResult[]> => {
  const results: CheckResult[] = []
  for (const { name, run } of checks) {
    const findings = await run().catch((error: unknown): readonly Finding[] => [
      {
        severity: 'failed',
        message: `it could not be checked: ${(error as Error).message}`,
        remedy: 'see the log of the daemon',
      },
    ])
    if (findings.length === 0) results.push({ check: name, severity: 'ok', message: '', remedy: null })
    for (const finding of findings) results.push({ check: name, ...finding })
  }
  return results
}
