/** A mail server in its parts. */
export interface ServerParts {
  readonly host: string
  /** Empty for the default port. */
  readonly port: string
  /** `tls` encrypts from the start; `starttls` encrypts an open connection. */
  readonly encryption: 'tls' | 'starttls'
  readonly user: string
  readonly password: string
}

export const noServer: ServerParts = { host: '', port: '', encryption: 'tls', user: '', password: '' }

/**
 * The value of `smtpUrl` for a server; undefined without a host. If the host field contains a whole address, that address is returned
 * unchanged.
 */
export const addressOf = ({ host, port, encryption, user, password }: ServerParts): string | undefined => {
  const name = host.trim()
  if (name === '') return undefined
  if (/^smtps?:\/\//.test(name)) return name
  const login = user.trim() === '' ? '' : `${encodeURIComponent(user.trim())}:${encodeURIComponent(password)}@`
  const usual = encryption === 'tls' ? '465' : '587'
  return `${encryption === 'tls' ? 'smtps' : 'smtp'}://${login}${name}:${port.trim() === '' ? usual : port.trim()}`
}
