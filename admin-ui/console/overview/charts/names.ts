import { useQuery } from '@tanstack/react-query'
import { applicationContract } from '../../../../src/oidc/clients/contract.ts'
import { useI18n } from '../../../shared/text.tsx'
import { useConsole, usePermission } from '../../api.ts'
import type { Line } from './spans.ts'

/** Under this key the server adds up all values that are not counted under a key of their own. */
export const others = '*'

/** The colour of each sign-in method. It is fixed, so that a method has the same colour in every chart. */
const methods = {
  password: ['overview.method.password', 1],
  passkey: ['overview.method.passkey', 3],
  federated: ['overview.method.federated', 4],
  'mail-link': ['overview.method.mailLink', 5],
  'mail-code': ['overview.method.mailCode', 6],
} as const
const isMethod = (key: string): key is keyof typeof methods => key in methods

/** Returns a function that gives the name and colour of a sign-in method. Unknown methods are shown as "others". */
export const useMethod = () => {
  const { t } = useI18n()
  return (key: string): Pick<Line, 'id' | 'name' | 'color'> => {
    if (!isMethod(key)) return { id: others, name: t('overview.chart.others'), color: 2 }
    const [text, color] = methods[key]
    return { id: key, name: t(text), color }
  }
}

/** Names of applications by id. Applications that no longer exist, or that the person may not read, are left out. */
export const useApplicationNames = (ids: readonly string[]): ReadonlyMap<string, string> => {
  const { api } = useConsole()
  const { isAllowed } = usePermission('clients:read')
  const { data } = useQuery({
    queryKey: ['application names', ids],
    queryFn: async () => {
      const found = ids.map(async (clientId): Promise<readonly [string, string]> => {
        const application = await api.call(applicationContract, 'getApplication', { params: { clientId } }).catch(() => undefined)
        return [clientId, application?.name ?? clientId]
      })
      return new Map(await Promise.all(found))
    },
    enabled: isAllowed && ids.length > 0,
  })
  return data ?? new Map()
}
