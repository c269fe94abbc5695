/** The mark of gatehouse: an open gate in a tower, with light behind it. It is decorative, because the name is beside it. */
export const Mark = ({ size = 28 }: { readonly size?: number }) => (
  <svg className="mark" width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
    <path className="mark-tower" d="M3 30V15a13 13 0 0 1 26 0v15a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1Z" />
    <path className="mark-light" d="M10 31V16a6 6 0 0 1 12 0v15Z" />
    <path className="mark-door" d="M10 31V16a6 6 0 0 1 4-5.66L15 12v19Z" />
  </svg>
)

/** The parts of a brand at the top of a page. */
export interface Signs {
  readonly isNamed: boolean
  readonly logo: string | null
  readonly logoDark: string | null
}

/** The operator's picture in a small frame. It is the icon, or else the logo, or else the first letter of the name, or else gatehouse's mark. */
export const Sign = ({ name, brand }: { readonly name: string; readonly brand: Signs & { readonly icon: string | null } }) => {
  if (brand.icon !== null) return <img className="sign-icon" src={brand.icon} alt="" />
  if (brand.logo !== null)
    return (
      <picture className="sign-logo">
        {brand.logoDark === null ? null : <source srcSet={brand.logoDark} media="(prefers-color-scheme: dark)" />}
        <img src={brand.logo} alt="" />
      </picture>
    )
  return brand.isNamed ? <span className="sign-letter">{[...name.trim()][0]?.toLocaleUpperCase()}</span> : <Mark size={30} />
}

interface WordmarkProps {
  readonly name: string | undefined
  /** If absent, gatehouse's mark is shown. */
  readonly brand?: Signs | undefined
}

/** The operator's logo, or else the name. If no name is configured, gatehouse's mark is beside it. While the name loads, its space is empty. */
export const Wordmark = ({ name, brand }: WordmarkProps) => {
  if (brand !== undefined && brand.logo !== null)
    return (
      <picture className="wordmark">
        {brand.logoDark === null ? null : <source srcSet={brand.logoDark} media="(prefers-color-scheme: dark)" />}
        <img className="logo" src={brand.logo} alt={name} />
      </picture>
    )
  return (
    <span className={name === undefined ? 'wordmark wordmark-waiting' : 'wordmark'}>
      {brand?.isNamed === true ? null : <Mark />}
      <span className="wordmark-name">{name ?? '\u00a0'}</span>
    </span>
  )
}
