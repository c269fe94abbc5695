/** The weight of a finding: `failed` stops gatehouse from working, `warning` will cause damage, `notice` is good to know. */
export const severities = ['ok', 'notice', 'warning', 'failed'] as const
export type Severity = (typeof severities)[number]

/** The values for the placeholders of a text. */
export type Values = Readonly<Record<string, string | number>>

/** A finding about something that needs a person. With `ok` it is good news, and its remedy is empty. */
export interface Finding {
  readonly severity: Severity
  /** The text of the check and the values of its placeholders; the console has the text in other languages. */
  readonly code: string
  readonly values: Values
  /** The finding, in one sentence. */
  readonly message: string
  /** The remedy: a command, or a key of the configuration. */
  readonly remedy: string
}

/** The possible findings of checks, by code: texts with the names of values in braces. */
export type FindingTexts = Readonly<Record<string, Pick<Finding, 'message' | 'remedy'>>>

/** The text with its values in the places of their names. */
export const fillPlaces = (text: string, values: Values): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))

/** Declares the possible findings of a check, and makes them. Codes are unique among all checks. */
export const defineFindings = <const T extends FindingTexts>(texts: T) => ({
  texts,
  found: (severity: Finding['severity'], code: keyof T & string, values: Values = {}): Finding => {
    const { message = '', remedy = '' } = texts[code] ?? {}
    return { severity, code, values, message: fillPlaces(message, values), remedy: fillPlaces(remedy, values) }
  },
})

/** Checks one thing that may need a person. Features list their checks in their registration; `doctor` and the admin API run them. */
export interface Check {
  /** `mail`, `signing-keys`: lower case with dashes. */
  readonly name: string
  /** True for a check that calls another server: it runs on demand, not every few minutes. */
  readonly asksElsewhere?: boolean
  /** All possible findings. */
  readonly texts: FindingTexts
  /** The findings; empty without any. Reads only from indexes. */
  run(): Promise<readonly Finding[]>
}

/** A check by name with its findings; `ok` without findings. */
export interface CheckResult {
  readonly check: string
  readonly severity: Severity
  readonly message: string
  readonly remedy: string | null
  readonly code: string | null
  readonly values: Values
}

/** The finding of a check that throws. */
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
