import type { MarkPart } from '../marks.ts'

export const parts: readonly MarkPart[] = [
  ['microsoft-red', 'M0 0h11.4v11.4H0z'],
  ['microsoft-green', 'M12.6 0H24v11.4H12.6z'],
  ['microsoft-blue', 'M0 12.6h11.4V24H0z'],
  ['microsoft-yellow', 'M12.6 12.6H24V24H12.6z'],
]
