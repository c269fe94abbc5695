/** How serious a finding is: `failed` stops gatehouse from working, `warning` will cause damage, `notice` is good to know. */
export const severities = ['ok', 'notice', 'warning', 'failed'] as const
export type Severity = (typeof severities)[number]

/** The values for the placeholders of a text. */
export type Values = Readonly<Record<string, string | number>>

/** A finding of a check. A person should look at it, unless it is `ok`: such a finding is good news, and has no remedy. */
export interface Finding {
  readonly severity: Severity
  /** Names the text in the catalogue of the check. The console has the texts in other languages. */
  readonly code: string
  readonly values: Values
  /** The finding as one sentence. */
  readonly message: string
  /** What repairs the problem: a command, or a key of the configuration. */
  readonly remedy: string
}

/** The possible findings of a check, by code. Texts contain the names of values in braces. */
export type FindingTexts = Readonly<Record<string, Pick<Finding, 'message' | 'remedy'>>>

/** The text after each name in braces is replaced by its value. */
export const fillPlaces = (text: string, values: Values): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))

/** Declares the possible findings of a check, and creates them. A code is unique among all checks. */
export const defineFindings = <const T extends FindingTexts>(texts: T) => ({
  texts,
  found: (severity: Finding['severity'], code: keyof T & string, values: Values = {}): Finding => {
    const { message = '', remedy = '' } = texts[code] ?? {}
    return { severity, code, values, message: fillPlaces(message, values), remedy: fillPlaces(remedy, values) }
  },
})

/** Checks one thing that may need an administrator. Features list their checks in their registration; `doctor` and the admin API run them. */
export interface Check {
  /** For example `mail` or `signing-keys`: lower case with dashes. */
  readonly name: string
  /** True for a check that calls another server: it runs on demand, not every few minutes. */
  readonly asksElsewhere?: boolean
  /** All possible findings. */
  readonly texts: FindingTexts
  /** Returns the findings, or an empty list. It must read only by indexes. */
  run(): Promise<readonly Finding[]>
}

/** The result of a check: its name and its findings. A check without findings is `ok`. */
export interface CheckResult {
  readonly check: string
  readonly severity: Severity
  readonly message: string
  readonly remedy: string | null
  readonly code: string | null
  readonly values: Values
}

/** The finding for a check that throws. */
export const anyCheck = defineFindings({
  'check-failed': { message: 'it could not be checked: {why}', remedy: 'see the log of the daemon' },
})

/** Runs the checks one after the other. An error of a check becomes a finding, and the others still run. */
export const runChecks = async (checks: readonly Check[]): Promise<CheckResult[]> => {
  const results: CheckResult[] = []
  for (const { name, run } of checks) {
    const findings = await run().catch((error: unknown): readonly Finding[] => [
      anyCheck.found('failed', 'check-failed', { why: (error as Error).message }),
    ])
    if (findings.length === 0) results.push({ check: name, severity: 'ok', message: '', remedy: null, code: null, values: {} })
    for (const finding of findings)
      results.push({ check: name, ...finding, remedy: finding.severity === 'ok' ? null : finding.remedy })
  }
  return results
}
