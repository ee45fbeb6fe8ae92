// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

/// @title The part of the well-known Multicall3 interface that Farebox and stock x402 facilitators call
/// @notice On public chains the original is at 0xcA11bde05977b3631167028862bE2a173976CA11 and is used
/// there; this one replaces it at the same address on a local chain.
contract Multicall3 {
    struct Call {
        address target;
        bytes callData;
    }

    struct Call3 {
        address target;
        bool allowFailure;
        bytes callData;
    }

    struct Result {
        bool success;
        bytes returnData;
    }

    /// @notice Makes the calls in order. A failing one is reported in its result, or, unless its
    /// `allowFailure` is set, reverts them all.
    function aggregate3(Call3[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            results[i] = _call(calls[i].target, calls[i].callData);
            require(results[i].success || calls[i].allowFailure, "Multicall3: call failed");
        }
    }

    /// @notice The older form of `aggregate3`, with one rule for all calls.
    function tryAggregate(bool requireSuccess, Call[] calldata calls)
        external
        payable
        returns (Result[] memory results)
    {
        results = new Result[](calls.length);
        for (uint256 i = 0; i < calls.length; i++) {
            results[i] = _call(calls[i].target, calls[i].callData);
            require(results[i].success || !requireSuccess, "Multicall3: call failed");
        }
    }

    function getBlockNumber() external view returns (uint256) {
        return block.number;
    }

    function getCurrentBlockTimestamp() external view returns (uint256) {
        return block.timestamp;
    }

    function getEthBalance(address account) external view returns (uint256) {
        return account.balance;
    }

    function getChainId() external view returns (uint256) {
        return block.chainid;
    }

    function _call(address target, bytes calldata callData) private returns (Result memory) {
        (bool success, bytes memory returnData) = target.call(callData);
        return Result(success, returnData);
    }
}
