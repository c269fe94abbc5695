/** The mark: a gate in a tower, standing open, light behind it. Decorative; the name stands beside it. */
export const Mark = ({ size = 28 }: { readonly size?: number }) => (
  <svg className="mark" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <path className="mark-tower" d="M3 30V15a13 13 0 0 1 26 0v15a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1Z" />
    <path className="mark-light" d="M10 31V16a6 6 0 0 1 12 0v15Z" />
    <path className="mark-door" d="M10 31V16a6 6 0 0 1 4-5.66L15 12v19Z" />
  </svg>
)

/** Mark and the operator's name for this place. While the name is on its way only its room is there. */
export const Wordmark = ({ name, size = 28 }: { readonly name: string | undefined; readonly size?: number }) => (
  <span className={name === undefined ? 'wordmark wordmark-waiting' : 'wordmark'}>
    <Mark size={size} />
    <span className="wordmark-name">{name ?? '\u00a0'}</span>
  </span>
)
