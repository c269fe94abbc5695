import { useState } from 'react'
import { ApiError } from '../../../src/http/client.ts'
import { useI18n } from '../../shared/text.tsx'

const isUnverified = (error: unknown) => error instanceof ApiError && error.code === 'ADDRESS_IS_NOT_VERIFIED'

/**
 * For a change that the server refuses for a user whose address is not verified: it is offered then to make the change all the same. `asked` runs the
 * change, `field` asks, `body` and `flags` say the answer, and `forget` is for another user.
 */
export const useUnverified = () => {
  const { t } = useI18n()
  const [isRefused, setIsRefused] = useState(false)
  const [isAllowed, setIsAllowed] = useState(false)
  return {
    body: isAllowed ? { unverified: true } : {},
    flags: isAllowed ? ['--unverified'] : [],
    asked: async <T,>(change: Promise<T>): Promise<T> => {
      try {
        return await change
      } catch (error) {
        if (isUnverified(error)) setIsRefused(true)
        throw error
      }
    },
    forget: () => {
      setIsRefused(false)
      setIsAllowed(false)
    },
    field: isRefused ? (
      <label className="check">
        <input
          type="checkbox"
          name="unverified"
          checked={isAllowed}
          onChange={({ currentTarget }) => setIsAllowed(currentTarget.checked)}
        />
        {t('organizations.unverified')}
      </label>
    ) : null,
  }
}
