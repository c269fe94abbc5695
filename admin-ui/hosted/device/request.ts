import { ApiError } from '../../../src/http/client.ts'
import { deviceContract } from '../../../src/oidc/device/contract.ts'
import type { HostedApi } from '../../shared/api.ts'

export const readDevice = (api: HostedApi, userCode: string) => api.of(deviceContract).lookUpDevice({ body: { userCode } })

export type DeviceRequest = Awaited<ReturnType<typeof readDevice>>

/** Loads the request of the device whose user code is in the address: `none` if there is no code, `unknown` if the code is invalid. */
export const loadDeviceRequest = async (api: HostedApi, query: URLSearchParams): Promise<DeviceRequest | 'none' | 'unknown'> => {
  const userCode = query.get('user_code') ?? ''
  if (userCode === '') return 'none'
  try {
    return await readDevice(api, userCode.slice(0, 64))
  } catch (error) {
    if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429) return 'unknown'
    throw error
  }
}
