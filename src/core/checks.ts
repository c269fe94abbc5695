/** How serious a finding is. `failed`: gatehouse cannot work. `warning`: there will be damage. `notice`: good to know. `ok`: nothing is wrong. */
export const severities = ['ok', 'notice', 'warning', 'failed'] as const
export type Severity = (typeof severities)[number]

/** The values for the placeholders of a text. */
export type Values = Readonly<Record<string, string | number>>

/** A finding of a check. A person should look at it, unless its severity is `ok`: then it is good news, and has no remedy. */
export interface Finding {
  readonly severity: Severity
  /** Identifies the text in the check's list of texts, so that the console can show the text in other languages. */
  readonly code: string
  readonly values: Values
  /** The finding as one sentence. */
  readonly message: string
  /** How to repair the problem: a command to run, or a configuration key to change. */
  readonly remedy: string
}

/** The possible findings of a check, by code. Texts may contain names of values in braces, such as `{count}`. */
export type FindingTexts = Readonly<Record<string, Pick<Finding, 'message' | 'remedy'>>>

/** Replaces each name in braces by the value of that name. */
export const fillPlaces = (text: string, values: Values): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))

/** Declares the possible findings of a check. The returned object creates such findings. A code must be unique among all checks. */
export const defineFindings = <const T extends FindingTexts>(texts: T) => ({
  texts,
  found: (severity: Finding['severity'], code: keyof T & string, values: Values = {}): Finding => {
    const { message = '', remedy = '' } = texts[code] ?? {}
    return { severity, code, values, message: fillPlaces(message, values), remedy: fillPlaces(remedy, values) }
  },
})

/**
 * A check of something that an administrator may have to repair. Each feature lists its checks in its registration. The command `doctor`
 * and the admin API run them.
 */
export interface Check {
  /** For example `mail` or `signing-keys`: lower case with dashes. */
  readonly name: string
  /** True for a check that calls another server. Such a check runs only on demand. Other checks run every few minutes. */
  readonly asksElsewhere?: boolean
  /** The texts of all findings that the check can return. */
  readonly texts: FindingTexts
  /** Makes the check. Returns an empty list if there is nothing to report. Queries must be answered from an index. */
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

/** The finding for a check that has thrown an error. */
export const anyCheck = defineFindings({
  'check-failed': { message: 'it could not be checked: {why}', remedy: 'see the log of the daemon' },
})

/** Runs the checks one after the other. If a check throws, its error becomes a finding, and the next check runs. */
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
