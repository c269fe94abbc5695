import { Link } from 'react-router'
import { useConsole } from '../api.ts'
import { Id, shortened } from './id.tsx'

/** The screens of kinds of resources, by the name that events have for the kind. */
const homes: Readonly<Record<string, string>> = {
  user: '/admin/users',
  client: '/admin/clients',
  application: '/admin/clients',
  organization: '/admin/organizations',
  customer: '/admin/billing/customers',
  delivery: '/admin/billing/deliveries',
  'api-key': '/admin/api-keys',
  api_key: '/admin/api-keys',
}

/** The address of a resource's own screen; undefined where there is none for this person. */
export const useResourceAddress = () => {
  const { screens } = useConsole()
  return (kind: string, id: string): string | undefined => {
    const home = homes[kind]
    return home !== undefined && screens.has(home) ? `${home}/${encodeURIComponent(id)}` : undefined
  }
}

/** An id that leads to the screen of what it names, where there is one; elsewhere it is copied. */
export const ResourceLink = ({ kind, id }: { readonly kind: string; readonly id: string }) => {
  const address = useResourceAddress()(kind, id)
  return address === undefined ? (
    <Id id={id} />
  ) : (
    <Link to={address} title={id}>
      <code>{shortened(id)}</code>
    </Link>
  )
}
