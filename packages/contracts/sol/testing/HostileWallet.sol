// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

/// @title A hostile contract wallet for tests of the registry
/// @notice Executes any caller's commands; when it receives ether or a token it may refuse, or call back.
contract HostileWallet {
    struct Call {
        address target;
        uint256 value;
        bytes callData;
    }

    bool public refusesEther;
    Call[] private _callbacks;

    /// @notice Reports each call made in a callback, with its result.
    event CalledBack(bool success, bytes answer);

    /// @notice With `true`, it reverts when it receives ether.
    function refuseEther(bool refuses) external {
        refusesEther = refuses;
    }

    /// @notice Sets the call that it makes whenever it receives ether or a token, at any depth.
    function callBack(Call[] calldata callbacks) external {
        delete _callbacks;
        for (uint256 i = 0; i < callbacks.length; i++) _callbacks.push(callbacks[i]);
    }

    /// @notice Makes calls as this wallet, all in one transaction; reverts with the reason of one that fails.
    function run(Call[] calldata calls) external {
        for (uint256 i = 0; i < calls.length; i++) {
            (bool success, bytes memory answer) = calls[i].target.call{value: calls[i].value}(calls[i].callData);
            if (success) continue;
            assembly ("memory-safe") {
                revert(add(answer, 0x20), mload(answer))
            }
        }
    }

    function onERC721Received(address, address, uint256, bytes calldata) external returns (bytes4) {
        _callBack();
        return this.onERC721Received.selector;
    }

    receive() external payable {
        require(!refusesEther, "HostileWallet: no ether");
        _callBack();
    }

    function _callBack() private {
        for (uint256 i = 0; i < _callbacks.length; i++) {
            Call storage callback = _callbacks[i];
            (bool success, bytes memory answer) = callback.target.call{value: callback.value}(callback.callData);
            emit CalledBack(success, answer);
        }
    }
}
